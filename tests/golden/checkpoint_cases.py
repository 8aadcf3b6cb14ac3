"""Names of checkpoint files; what saving and restoring do is tested with files."""
from golden import s32, text


def write(w):
    for base, shard, shards in [("model", 0, 1), ("a/b.ckpt-7", 12, 345), ("", 0, 1), ("m", 99999, 100000),
                                ("m", 123456, 1234567), ("m", -1, 2), ("m", 3, 2), ("m", 0, 0)]:
        w.case("ShardedFilename", text(base), s32(shard), s32(shards), name=f"'{base}' {shard} of {shards}")
    w.case("ShardedFilename", text(["m"]), s32(0), s32(1), name="a vector")
    w.case("ShardedFilename", text("m"), s32([0]), s32(1), name="a vector of shards")
    for base, shards in [("model", 1), ("a/b.ckpt-7", 345), ("", 1), ("m", 100000), ("m", 1234567), ("m", -1), ("m", 0),
                         ("m n", 12)]:
        w.case("ShardedFilespec", text(base), s32(shards), name=f"'{base}' of {shards}")
    w.case("ShardedFilespec", text(["m"]), s32(1), name="a vector")
    w.case("ShardedFilespec", text("m"), s32([1]), name="a vector of shards")
