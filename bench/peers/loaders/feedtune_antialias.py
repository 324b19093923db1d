"""feedtune's pipeline: loader=pooled, decoder=turbo, input_type=float32, ready_batches=4, resize=antialias."""

TITLE = "feedtune, antialias"
FAMILY = "feedtune"
PROGRAM = "peers-feedtune"
ARGUMENTS = ["--resize", "antialias"]
RESIZE = "antialias"
WORKERS = "threads"
INLINE = True
BOUND_LEVELS = 0.6
