"""One module per meeting portal."""
