"""For operators: figures, health, checks of this machine, backups, units, an old installation."""
