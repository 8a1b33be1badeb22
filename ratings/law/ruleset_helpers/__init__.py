"""The parts that rulesets share: common readings, workings, places, worked examples, notes on a text."""
