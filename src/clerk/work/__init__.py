"""The hands: files in, files out, one process for each core and one thread in each."""

from clerk import config

# Threads of numpy that nobody needs would be started, and spin, before any work is done.
config.limit_library_threads()
