"""Pages on which officials take a federation's past in."""
