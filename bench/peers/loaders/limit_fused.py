"""What libjpeg-turbo allows by itself: read, decode the crop's rows and columns, stop, resize linearly into a float32 batch; each
thread for itself, no shuffling of batches, no delivery (limit.cpp)."""

TITLE = "libjpeg-turbo alone: crop, early stop, fused linear"
FAMILY = "limit"
PROGRAM = "peers-limit"
ARGUMENTS = ["--mode", "fused"]
RESIZE = "linear"
WORKERS = "threads"
INLINE = False
BOUND_LEVELS = 0.6
