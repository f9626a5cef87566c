"""Programs for contributors; nothing here is part of the wheel."""
