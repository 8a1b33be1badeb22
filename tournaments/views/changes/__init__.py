"""The pages on which a region or an official changes what was registered."""
