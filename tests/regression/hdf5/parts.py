"""Virtual datasets whose parts are not what they should be.
  parts.py make: a folder a case with whole.h5, and cases.txt: "NAME|what the error says", nothing where there is none
  parts.py damage COUNT: folders damage0, damage1, ..., in each of which a byte of a part is another
  parts.py same WHOLE OUT: y of OUT is x of WHOLE, put together from its parts one by one
  parts.py nul: strings that hold NULs
"""
import os
import random
import sys

import h5py
import numpy as np

made = "is made of parts, and "


def part(path, values, name="x"):
    with h5py.File(path, "w") as f:
        if values is not None: f[name] = values


def values(i):
    return np.arange(4, dtype="f4") + 4 * i + 1


def whole(path, sources, **keys):
    layout = h5py.VirtualLayout(shape=(4 * len(sources),), dtype="f4")
    for i, (file, name) in enumerate(sources):
        layout[4 * i:4 * i + 4] = h5py.VirtualSource(file, name, shape=(4,))
    with h5py.File(path, "w") as f:
        f.create_virtual_dataset("x", layout, **keys)


def folder(name):
    os.mkdir(name)
    os.chdir(name)
    for i in range(3): part(f"p{i}.h5", values(i))
    whole("whole.h5", [(f"p{i}.h5", "x") for i in range(3)], fillvalue=0)


def cut(path, by=4):
    os.truncate(path, os.path.getsize(path) - by)


def case_ok(): return ""


def case_cut():
    cut("p1.h5")
    return made + "one cannot be read: cannot open cut/p1.h5 as an HDF5 file: truncated"


def case_empty():
    os.truncate("p1.h5", 0)
    return made + "one cannot be read: cannot open empty/p1.h5"


def case_text():
    with open("p1.h5", "w") as f: f.write("text")
    return made + "one cannot be read: cannot open text/p1.h5 as an HDF5 file"


def case_directory():
    os.remove("p1.h5")
    os.mkdir("p1.h5")
    return made + "one cannot be read: directory/p1.h5 is not a regular file"


def case_missing():
    os.remove("p2.h5")
    return made + "the file 'p2.h5' of one is not there"


def case_lacks():
    part("p1.h5", values(1), "y")
    return made + "one cannot be read: there is no dataset 'x' in lacks/p1.h5; it holds /y"


def case_group():
    with h5py.File("p1.h5", "w") as f: f.create_group("x")
    return made + "one cannot be read: there is no dataset 'x' in group/p1.h5"


def case_strings():
    part("p1.h5", np.array([b"a"] * 4))
    return made + "one, 'x' of strings/p1.h5, is string"


def case_short():
    part("p1.h5", values(1)[:2])
    return made + "one, 'x' of short/p1.h5, has the shape [2], and not 4 elements"


def case_integers():
    part("p1.h5", np.arange(4, dtype="i8") + 9)
    return ""


def case_own():
    with h5py.File("whole.h5", "w") as f:
        f["z"] = values(7)
        layout = h5py.VirtualLayout(shape=(8,), dtype="f4")
        layout[:4] = h5py.VirtualSource(".", "z", shape=(4,))
        layout[4:] = h5py.VirtualSource("p1.h5", "x", shape=(4,))
        f.create_virtual_dataset("x", layout)
    return ""


def case_own_lacks():
    whole("whole.h5", [(".", "z"), ("p1.h5", "x")])
    return made + "one cannot be read: there is no dataset 'z' in own_lacks/whole.h5"


def case_rows():
    """Rows 2 to 5 of parts of 8."""
    layout = h5py.VirtualLayout(shape=(8,), dtype="f4")
    for i in range(2):
        part(f"p{i}.h5", np.arange(8, dtype="f4") + 8 * i)
        layout[4 * i:4 * i + 4] = h5py.VirtualSource(f"p{i}.h5", "x", shape=(8,))[2:6]
    with h5py.File("whole.h5", "w") as f: f.create_virtual_dataset("x", layout)
    return ""


def case_rows_short():
    case_rows()
    part("p1.h5", np.arange(5, dtype="f4"))
    return made + "one, 'x' of rows_short/p1.h5, has the shape [5], of which [2] to [5] is wanted"


def case_nested():
    """A part that is virtual itself."""
    part("inner.h5", values(5), "z")
    whole("p1.h5", [("inner.h5", "z")])
    return ""


def case_nested_cut():
    case_nested()
    cut("inner.h5")
    return made + "one cannot be read: cannot open nested_cut/inner.h5"


def case_pattern():
    """Parts that HDF5 counts itself."""
    space = h5py.h5s.create_simple((4,), (h5py.h5s.UNLIMITED,))
    space.select_hyperslab((0,), (h5py.h5s.UNLIMITED,), (4,), (4,))
    source = h5py.h5s.create_simple((4,))
    create = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    create.set_virtual(space, b"p%b.h5", b"x", source)
    with h5py.File("whole.h5", "w", libver="latest") as f:
        h5py.h5d.create(f.id, b"x", h5py.h5t.IEEE_F32LE, space, create)
    return ""


def case_pattern_cut():
    case_pattern()
    cut("p2.h5")
    return made + "one cannot be read: cannot open pattern_cut/p2.h5"


def external(length):
    name = os.path.join(os.path.basename(os.getcwd()), "raw")
    os.chdir("..")
    with h5py.File(name.replace("raw", "whole.h5"), "w") as f:
        f.create_dataset("x", (4,), dtype="f4", external=[(name, 8, 16)])[...] = values(1)
    os.truncate(name, length)
    if length == 0: os.remove(name)
    os.chdir(os.path.dirname(name))


def case_external():
    external(24)
    return ""


def case_external_cut():
    external(20)
    return "keeps its values in the file external_cut/raw, which has 20 bytes and should have 24"


def case_external_missing():
    external(0)
    return "keeps its values in the file external_missing/raw, which is not there"


def make():
    with open("cases.txt", "w") as cases:
        for name in [n[5:] for n in globals() if n.startswith("case_")]:
            folder(name)
            cases.write(f"{name}|{globals()['case_' + name]()}\n")
            os.chdir("..")


def damage(count):
    random.seed(3)
    for number in range(count):
        folder(f"damage{number}")
        with open("p1.h5", "r+b") as f:
            size = f.seek(0, os.SEEK_END)
            f.seek(random.randrange(size) if number % 2 else random.randrange(800))
            byte = f.read(1)
            f.seek(-1, os.SEEK_CUR)
            f.write(bytes([byte[0] ^ (1 << random.randrange(8))]))
        os.chdir("..")


def read(path):
    with h5py.File(path) as f:
        dataset = f["x"]
        if not dataset.is_virtual: return dataset[...]
        sources = dataset.virtual_sources()
        if any("%" in source.file_name for source in sources): return dataset[...]
        for source in sources:  # each can be read by itself
            file = path if source.file_name == "." else os.path.join(os.path.dirname(path), source.file_name)
            with h5py.File(file) as part: part[source.dset_name][...]
        return dataset[...]


def same(path, out):
    with h5py.File(out) as f: got = f["y"][...]
    np.testing.assert_array_equal(got, read(path))


def nul():
    with h5py.File("nul.h5", "w") as f:
        f["a"] = np.array([b"x\0y", b"\0\0z", b"abc"], "S4")
        space = h5py.h5t.C_S1.copy()
        space.set_size(4)
        space.set_strpad(h5py.h5t.STR_SPACEPAD)
        dataset = h5py.h5d.create(f.id, b"s", space, h5py.h5s.create_simple((3,)))
        dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([b"x   ", b"    ", b"abc "], "S4"), space)


if __name__ == "__main__":
    {"make": make, "damage": lambda n: damage(int(n)), "same": same, "nul": nul}[sys.argv[1]](*sys.argv[2:])
