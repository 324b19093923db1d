"""feedtune's pipeline: loader=pooled, decoder=turbo, input_type=float32, ready_batches=4, resize=linear."""

TITLE = "feedtune, linear"
FAMILY = "feedtune"
PROGRAM = "peers-feedtune"
ARGUMENTS = ["--resize", "linear"]
RESIZE = "linear"
WORKERS = "threads"
INLINE = True
BOUND_LEVELS = 0.6
