"""feedtune_antialias with nothing recorded per image: what recording the phases costs."""

TITLE = "feedtune, phases off"
FAMILY = "feedtune"
PROGRAM = "peers-feedtune"
ARGUMENTS = ["--resize", "antialias", "--phases", "off"]
RESIZE = "antialias"
WORKERS = "threads"
INLINE = True
BY_NAME_ONLY = True
BOUND_LEVELS = None
NOT_CHECKED = "feedtune_antialias without its clocks"
