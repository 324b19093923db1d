"""libjpeg-turbo's Huffman decoding of the whole files and nothing else (limit.cpp)."""

TITLE = "libjpeg-turbo alone: Huffman decoding"
FAMILY = "limit"
PROGRAM = "peers-limit"
ARGUMENTS = ["--mode", "entropy"]
RESIZE = "none"
WORKERS = "threads"
INLINE = False
BOUND_LEVELS = None
