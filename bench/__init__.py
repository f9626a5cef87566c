"""Benchmarks: clerk compared with other tools in the same run, as ratios.

Every benchmark has the option ``--tiny``, with which it runs to its end in seconds to show that it
still works; its figures then mean nothing and no bar is applied.
"""
