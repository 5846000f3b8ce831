"""The command line: reads what the user asks for, calls the layers below, shows what they answer."""
