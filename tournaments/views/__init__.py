"""The region's pages: an event is registered, its sections are filed in five steps and submitted."""
