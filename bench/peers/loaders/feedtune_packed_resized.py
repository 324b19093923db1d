"""feedtune's pipeline from a packed folder (feedtune pack --kind resized), whose pictures have a shorter side of at most 256 pixels."""

TITLE = "feedtune, packed resized"
FAMILY = "feedtune"
PROGRAM = "peers-feedtune"
ARGUMENTS = ["--resize", "antialias", "--pack", "resized"]
STORE = "feedtune-resized"
RESIZE = "antialias"
WORKERS = "threads"
INLINE = True
BY_NAME_ONLY = True  # another task: smaller pictures
BOUND_LEVELS = None
NOT_CHECKED = "the crop is drawn on the smaller picture"
