# Shared by the regression tests. Source it after setting SOURCE and DFRUN: it makes the folder $WORK, goes there, and
# removes it at the end.
set -euo pipefail

if [ "$(id -u)" = 0 ]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi
# Ranks of one host need no network, and none of them listens on it.
export OMPI_MCA_btl=self,vader OMPI_MCA_oob_tcp_if_include=lo
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
cd "$WORK"

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# expect CODE TEXT COMMAND...: the command ends with this exit code within 60 s, and its output holds the text.
expect() {
  local code=$1 text=$2 seen=0
  shift 2
  timeout 60 "$@" > "$WORK/out" 2>&1 || seen=$?
  if [ "$seen" != "$code" ]; then
    cat "$WORK/out" >&2
    fail "exit code $seen, not $code: $*"
  fi
  if ! grep -qF -- "$text" "$WORK/out"; then
    cat "$WORK/out" >&2
    fail "'$text' is not in the output of: $*"
  fi
}

# ranks N COMMAND...: under mpirun, oversubscribed.
ranks() {
  local count=$1
  shift
  timeout 120 mpirun --oversubscribe -np "$count" "$@"
}

# state DIRECTORY: what is in it and what its files hold, but for the lock; to compare before and after.
state() {
  (cd "$1" && find . -type f ! -name .lock -exec sha256sum {} + | sort && find . | sort)
}

# newest RUN: the step of its newest checkpoint.
newest() {
  local step
  step=$(find "$1/checkpoints" -maxdepth 1 -name 'step-*' | sed 's/.*step-//' | sort -n | tail -n 1)
  [ -n "$step" ] || fail "$1 has no checkpoint"
  echo "$step"
}

# metric_lines RUN: the lines of its metrics.jsonl without what differs from run to run: times, rates and memory.
metric_lines() {
  sed -E 's/"(wall_s|samples_per_s|waiting\/[a-z]+|memory[^"]*)": [^,]*, //g' "$1/metrics.jsonl"
}

# dump FILE...: the datasets of HDF5 files, each a line with its name, its shape and its bytes.
dump() {
  /usr/bin/python3 - "$@" <<'P'
import sys
import h5py


def line(name, item):
    if isinstance(item, h5py.Dataset):
        print(name.removesuffix(':0'), item.shape, item[()].tobytes().hex())


for path in sys.argv[1:]:
    with h5py.File(path) as f:
        f.visititems(line)
P
}
