"""Huffman decoding of the whole files alone (limit.cpp): the bound of anything that reads every byte."""

TITLE = "limit: entropy decoding alone"
FAMILY = "limit"
PROGRAM = "peers-limit"
ARGUMENTS = ["--mode", "entropy"]
RESIZE = "none"
WORKERS = "threads"
INLINE = False
BOUND_LEVELS = None
