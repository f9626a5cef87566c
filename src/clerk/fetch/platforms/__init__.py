"""clerk's own fetchers: one module per meeting portal, and for folders, lists and plain pages."""
