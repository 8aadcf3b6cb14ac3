#!/usr/bin/env bash
# An input of many HDF5 files: one process looks at all of them, other ranks believe rank 0 of files that are the same,
# and what a sample costs does not depend on how many files may be open.
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"
source "$SOURCE/tests/preload.sh"

mkdir data packed
/usr/bin/python3 - <<'END'
import h5py, numpy as np
for i in range(300):
    with h5py.File(f"data/{i:03}.h5", "w") as f:
        f["x"] = np.arange(6 * i, 6 * i + 6, dtype="f4").reshape(2, 3)
for i in range(40):
    with h5py.File(f"packed/{i:03}.h5", "w") as f:
        f.create_dataset("x", data=np.arange(6 * i, 6 * i + 6, dtype="f4").reshape(2, 3), chunks=(1, 3), compression="gzip")
        f["word"] = np.array([b"one", b"two"], object)
END
spec_of() { # spec_of DIRECTORY FURTHER: all samples of an epoch, in any order
  cat > job.yaml <<END
dfrun: 1
inputs: {in: {hdf5: '$1/*.h5', tensors: {x: /x}, batch: all, shuffle: true$2}}
run: {fetch: [in/x], save: out.h5, steps: 2}
END
}
replicas_of() { # replicas_of NUMBER: each rank reads a slice of all samples
  cat > replicas.yaml <<END
dfrun: 1
inputs: {in: {hdf5: 'data/*.h5', tensors: {x: /x}, batch: all, shuffle: true}}
graph: {W: {op: Variable, shape: [], init: zeros}, loss: Mean(in/x) + W}
train: {loss: loss, learning_rate: 0.001, steps: 1, replicas: $1}
END
}
mean_is_right() { grep -q '"loss": 899.5' run/metrics.jsonl || fail "$(cat run/metrics.jsonl)"; }
all_are_there() { # all_are_there FILES: each sample once
  /usr/bin/python3 - "$1" <<'END'
import sys
import h5py, numpy as np
got = h5py.File("run/out.h5")["in/x"][...]
assert np.array_equal(got[got[:, 0].argsort()], np.arange(6 * int(sys.argv[1]), dtype="f4").reshape(-1, 3)), got
END
}
library=$(dirname "$DFRUN")/libdfrun_test_count_calls.so
preload_name library
counted() { # counted COMMAND...: with its calls in the file calls
  rm -rf run calls
  COUNT=$WORK/calls LD_PRELOAD=$library timeout 100 "$@" > "$WORK/out" 2>&1 || {
    cat "$WORK/out" >&2
    fail "$*"
  }
}
helpers_are() { # helpers_are NUMBER
  local found
  found=$(grep -c '^spawn' calls || true)
  [ "$found" = "$1" ] || fail "$found helpers, not $1"
}
opens_are_at_most() { # opens_are_at_most NUMBER: of each file
  local most
  most=$(grep '^open data\|^open packed' calls | sort | uniq -c | sort -n | tail -1 | awk '{print $1}')
  [ "$most" -le "$1" ] || fail "a file was opened $most times, not $1"
}

# One helper for all files, and none for the ranks.
spec_of data ""
counted "$DFRUN" check job.yaml
helpers_are 1
opens_are_at_most 2
counted "$DFRUN" job.yaml --output run
helpers_are 1
opens_are_at_most 3
all_are_there 300
replicas_of 3
counted mpirun --oversubscribe -np 3 "$DFRUN" replicas.yaml --output run
helpers_are 1
mean_is_right

# More files than may be open.
(ulimit -n 100 && counted "$DFRUN" job.yaml --output run)
helpers_are 1
all_are_there 300

# What must be unpacked has one helper to look and one to unpack.
spec_of packed ", readers: 1"
counted "$DFRUN" job.yaml --output run
helpers_are 2
all_are_there 40

# Ranks elsewhere: copies with the same bytes are believed to be the same, others are looked at or refused.
mkdir copy
cp -r data copy/data
cp replicas.yaml copy
elsewhere='[ "${OMPI_COMM_WORLD_RANK:-0}" = 0 ] || cd copy; exec "$@"'
counted mpirun --oversubscribe -np 3 bash -c "$elsewhere" - "$DFRUN" replicas.yaml --output "$WORK/run"
helpers_are 1
mean_is_right
/usr/bin/python3 -c "import h5py; h5py.File('copy/data/007.h5', 'a')['x'][0, 0] = 5"
expect 66 "data/007.h5 is not what rank 0 finds" \
  mpirun --oversubscribe -np 3 bash -c "$elsewhere" - "$DFRUN" replicas.yaml --output refused
rm -rf copy

# Of large copies with another time only a sample is compared: the first rank that sees a copy looks at all of its files
# again, for the others that see it too.
mkdir large copy other
/usr/bin/python3 - <<'END'
import h5py, numpy as np
for i in range(3):
    with h5py.File(f"large/{i}.h5", "w") as f:
        f["before"] = np.zeros((16, 80 * 1024), "f4")
        f["x"] = np.arange(16 * i, 16 * i + 16, dtype="f4").reshape(16, 1)
        f["y"] = np.arange(16 * i, 16 * i + 16, dtype="f4").reshape(16, 1)
END
for folder in copy other; do
  cp -r large $folder/large
  touch -d 2020-01-01 $folder/large/*
done
large_of() { # large_of REPLICAS [FURTHER]
  for folder in . copy other; do
    cat > $folder/replicas.yaml <<END
dfrun: 1
inputs:
  in: {hdf5: 'large/*.h5', tensors: {x: /x}, batch: 48, shuffle: true}
  test: {hdf5: 'large/*.h5', tensors: {x: /y}, batch: 16}
graph: {W: {op: Variable, shape: [], init: zeros}, loss: Mean(in/x) + W, y: Mean(test/x) + W}
train: {loss: loss, learning_rate: 0.001, steps: 1, replicas: $1}
${2:-}
END
  done
}
elsewhere='case ${OMPI_COMM_WORLD_RANK:-0} in 0) ;; 1|2|3) cd copy ;; *) cd other ;; esac; exec "$@"'
loss_is() { grep -q "\"loss\": $1" run/metrics.jsonl || fail "$(cat run/metrics.jsonl)"; }
large_of 4
counted mpirun --oversubscribe -np 4 bash -c "$elsewhere" - "$DFRUN" replicas.yaml --output "$WORK/run"
helpers_are 3  # each input's of rank 0, and rank 1's
loss_is 23.5
large_of 6 'eval: {every: 1, metrics: {y: y}}'
counted mpirun --oversubscribe -np 6 bash -c "$elsewhere" - "$DFRUN" replicas.yaml --output "$WORK/run"
helpers_are 4  # and the first of the ranks that see another copy
loss_is 23.5
rm -rf copy other large

# Files that the helper does not survive are named, and a new one looks at the rest.
gunzip -c "$SOURCE/tests/regression/hdf5/crashes.h5.gz" > data/100.h5
echo nothing > data/200.h5
spec_of data ""
rm -f calls
COUNT=$WORK/calls LD_PRELOAD=$library expect 66 "data/100.h5: the process that looked at it crashed" "$DFRUN" check job.yaml
helpers_are 2
grep -q "200.h5 as an HDF5 file" out || fail "only the first file is named"

# Nor does each value that is fed start one.
cat > sum.pbtxt <<'END'
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { unknown_rank: true } } } }
node { name: "y" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { unknown_rank: true } } } }
node { name: "z" op: "AddV2" input: "x" input: "y" attr { key: "T" value { type: DT_FLOAT } } }
END
counted "$DFRUN" eval sum.pbtxt --feed x=data/001.h5:/x --feed y=data/002.h5:/x --fetch z
helpers_are 1
