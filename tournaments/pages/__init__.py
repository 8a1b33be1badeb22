"""The region's pages: register an event, file its sections in five steps, submit them."""
