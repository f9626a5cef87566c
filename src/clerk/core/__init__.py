"""The foundation of everything else: settings, errors, logs, the database, files, plugins."""

from . import config

# numpy would start threads that nobody needs, and they spin.
config.limit_library_threads()
