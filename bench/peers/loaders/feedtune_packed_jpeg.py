"""feedtune's pipeline from a packed folder (feedtune pack --kind jpeg) holding the same JPEG bytes."""

TITLE = "feedtune, packed jpeg"
FAMILY = "feedtune"
PROGRAM = "peers-feedtune"
ARGUMENTS = ["--resize", "antialias", "--pack", "jpeg"]
STORE = "feedtune-jpeg"
RESIZE = "antialias"
WORKERS = "threads"
INLINE = True
BY_NAME_ONLY = True  # another task: no file is opened
BOUND_LEVELS = 0.6
