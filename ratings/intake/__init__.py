"""Takes in a whole journal as a new office."""
