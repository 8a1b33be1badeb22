"""Pages of reports of mistakes: those that wait, and each with its thread, answers and outcome."""
