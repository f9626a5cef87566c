"""For operators: health, checks of the machine, backups, timers, taking over an old system."""
