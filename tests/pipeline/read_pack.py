"""Reads a packed folder by what results/packed.md says alone, checks every sum, and prints a line an image:
name, label, length of the original, 0 or 1 for failed, SHA-256 of the record."""
import hashlib
import struct
import sys
import zlib
from pathlib import Path

folder = Path(sys.argv[1])
index = (folder / "pack.index").read_bytes()
magic, version, kind, side, quality = struct.unpack_from("<8sIIII", index, 0)
pack_id, shards, images, names_bytes, facts_bytes, source_bytes, skipped, file_bytes = struct.unpack_from("<8Q", index, 24)
body_crc, header_crc = struct.unpack_from("<II", index, 88)
assert magic == b"FTPINDEX" and version == 1 and file_bytes == len(index)
assert zlib.crc32(index[:92]) == header_crc and zlib.crc32(index[96:]) == body_crc
at = 96
table = [struct.unpack_from("<3Q", index, at + 24 * s) for s in range(shards)]
at += 24 * shards
records = [struct.unpack_from("<QIIIIII", index, at + 32 * i) for i in range(images)]
at += 32 * images
names = index[at:at + names_bytes].split(b"\0")[:-1]
at += names_bytes
facts = index[at:at + facts_bytes].decode().splitlines()
assert at + facts_bytes == file_bytes and len(names) == images

for number, (size, first, count) in enumerate(table):
    shard = (folder / f"shard-{number:05}").read_bytes()
    header = struct.unpack_from("<8sIIQQQQQII", shard)
    assert header[:7] == (b"FTPSHARD", 1, number, pack_id, first, count, size), header
    assert len(shard) == size and zlib.crc32(shard[:60]) == header[9]
    for image in range(first, first + count):
        offset, length, crc, label, original, flags, _ = records[image]
        record = shard[offset:offset + length]
        assert offset % 64 == 0 and len(record) == length and zlib.crc32(record) == crc
        print(names[image].decode(), label, original, flags & 1, hashlib.sha256(record).hexdigest())
print("facts", kind, side, quality, source_bytes, skipped, facts[0], facts[1])
