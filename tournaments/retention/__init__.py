"""Filed bytes go once nobody needs them: what is kept until when, the nightly letting go, and its proof."""
