"""Files with the crop box that the check gives to every loader: "left top width height kind path" a line."""
import collections

Entry = collections.namedtuple("Entry", "box kind path")


def read(path):
    with open(path) as file:
        lines = [line.rstrip("\n").split(" ", 5) for line in file]
    return [Entry(tuple(int(v) for v in fields[:4]), fields[4], fields[5]) for fields in lines]


def write(path, entries):
    with open(path, "w") as file:
        for entry in entries:
            file.write(" ".join([*(str(v) for v in entry.box), entry.kind, entry.path]) + "\n")
