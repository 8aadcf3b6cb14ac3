"""Makes HDF5 files that name others as the place of their dataset /x: hostile_files.py DIRECTORY.

DIRECTORY/data/ok_*.h5 lead nowhere or below DIRECTORY/data; DIRECTORY/data/out_*.h5 lead to DIRECTORY/secret.*.
"""
import os
import sys

import h5py
import numpy as np

base = os.path.abspath(sys.argv[1])
data = base + "/data"
os.makedirs(data + "/below")
values = np.arange(4, dtype="f4")


def plain(path):
    with h5py.File(path, "w") as f:
        f["x"] = values


def link(name, target, dataset="/x"):
    with h5py.File(f"{data}/{name}.h5", "w") as f:
        f["x"] = h5py.ExternalLink(target, dataset)


def virtual(name, target):
    layout = h5py.VirtualLayout((4,), "f4")
    layout[:] = h5py.VirtualSource(target, "x", (4,), "f4")
    with h5py.File(f"{data}/{name}.h5", "w", libver="latest") as f:
        f.create_virtual_dataset("x", layout)


def stored(name, target):
    with h5py.File(f"{data}/{name}.h5", "w") as f:
        f.create_dataset("x", (4,), "f4", external=[(target, 0, 16)])


plain(base + "/secret.h5")
plain(data + "/below/part.h5")
for path in (base + "/secret.bin", data + "/below/raw.bin"):
    values.tofile(path)
os.symlink("../secret.h5", data + "/a_link_out")

link("ok_link", "below/part.h5")
virtual("ok_virtual", "below/part.h5")
stored("ok_stored", data + "/below/raw.bin")
virtual("ok_virtual_of_link", "ok_link.h5")
with h5py.File(data + "/ok_soft.h5", "w") as f:
    f["y"] = values
    f["x"] = h5py.SoftLink("/y")

link("out_link", "../secret.h5")
link("out_absolute_link", base + "/secret.h5")
link("out_link_to_a_link", "a_link_out")
link("out_two_links", "out_link.h5")
virtual("out_virtual", "../secret.h5")
virtual("out_absolute_virtual", base + "/secret.h5")
virtual("out_virtual_of_virtual", "out_virtual.h5")
virtual("out_virtual_of_link", "out_link.h5")
stored("out_stored", base + "/secret.bin")
virtual("out_virtual_of_stored", "out_stored.h5")
with h5py.File(data + "/out_soft.h5", "w") as f:
    f["elsewhere"] = h5py.ExternalLink("../secret.h5", "/")
    f["x"] = h5py.SoftLink("/elsewhere/x")

# 4 TiB that nobody has written, and a compressed dataset of several blocks.
with h5py.File(data + "/huge.h5", "w") as f:
    f.create_dataset("x", (1 << 40,), "f4", chunks=(1 << 20,))
with h5py.File(data + "/packed.h5", "w") as f:
    f.create_dataset("x", data=np.arange(40000 * 600, dtype="f4").reshape(40000, 600), chunks=(700, 600),
                     compression="gzip", compression_opts=1)
    f["words"] = np.array([b"one", b"", b"three"], dtype=object)
