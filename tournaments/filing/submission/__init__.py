"""From a filed section to the region's word: what acceptance reads, the summary, the submission."""
