"""Tables and figures of what was learnt and measured."""
