"""A bench: a real device whose lines, speaker, console and power are wired to this machine. docs/bench.md describes it."""
