"""feedtune's pipeline from a packed folder (feedtune pack --kind raw), holding whole decoded pictures."""

TITLE = "feedtune, packed raw"
FAMILY = "feedtune"
PROGRAM = "peers-feedtune"
ARGUMENTS = ["--resize", "antialias", "--pack", "raw"]
STORE = "feedtune-raw"
RESIZE = "antialias"
WORKERS = "threads"
INLINE = True
BY_NAME_ONLY = True  # another task: no JPEG is decoded
BOUND_LEVELS = 0.6
