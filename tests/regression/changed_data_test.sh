#!/usr/bin/env bash
# Data that change under a job: a warning where a file's size, inode or time of change is another; an error, 66, where a
# sample is not what the job read first; one line where a resumed job finds other data.
#
#   changed_data_test.sh SOURCE DFRUN
SOURCE=$1
DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

/usr/bin/python3 - <<'P'
import h5py, numpy, os, struct, zlib
x = numpy.arange(64, dtype="f4").reshape(16, 4)
with h5py.File("plain.h5", "w") as f:
    f["x"] = x
    f["other"] = numpy.full((16, 4), 77, "f4")
with h5py.File("converted.h5", "w") as f: f["x"] = x
open("rows.csv", "w").write("".join(f"{10 + i},{20 + i},{30 + i},{40 + i}\n" for i in range(16)))
x.tofile("rows.raw")
os.mkdir("images")
def chunk(kind, data): return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
for i in range(4):
    rows = b"".join(b"\0" + bytes([10 * i + c] * 4) for c in range(4))
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 4, 8, 0, 0, 0, 0))
    png += chunk(b"IDAT", zlib.compress(rows, 0)) + chunk(b"IEND", b"")
    open(f"images/{i}.png", "wb").write(png)
P
# spec NAME INPUT: a job without an end, which reads its samples in another order each epoch.
spec() {
  cat > "$1.yaml" <<Y
dfrun: 1
name: $1
inputs: {in: {$2, batch: 2, shuffle: true}}
graph: {y: "Sum(Cast(in/x, DstT=float32))"}
run: {fetch: [y], steps: 1000000000}
Y
}
spec plain "hdf5: plain.h5, tensors: {x: /x}"
spec converted "hdf5: converted.h5, tensors: {x: {from: /x, dtype: float64}}"
spec csv "csv: rows.csv, tensors: {x: 1}"
spec raw "fixed_length: rows.raw, record_bytes: 16, tensors: {x: {from: 0, dtype: float32, shape: [4]}}"
spec images "image: 'images/*.png', tensors: {x: image}"

begin() {  # begin NAME: starts the job, and waits until it has read all
  "$DFRUN" "$1.yaml" --output "run_$1" --grace 2 > "log_$1" 2>&1 &
  pid=$!
  for ((i = 0; i < 600; ++i)); do
    [ -f "run_$1/metrics.jsonl" ] && [ "$(wc -l < "run_$1/metrics.jsonl")" -ge 40 ] && return 0
    kill -0 $pid 2> /dev/null || { cat "log_$1" >&2; fail "$1: the job has ended"; }
    sleep 0.1
  done
  fail "$1: no steps"
}
trap 'kill -9 $pid 2> /dev/null || true; rm -rf "$WORK"' EXIT
said() {  # said NAME TEXT: within a minute
  for ((i = 0; i < 600; ++i)); do
    grep -qF -- "$2" "log_$1" && return 0
    sleep 0.1
  done
  cat "log_$1" >&2
  fail "$1: not '$2'"
}
ended() {  # ended NAME CODE
  local code=0
  wait $pid || code=$?
  [ $code = "$2" ] || { cat "log_$1" >&2; fail "$1: exit code $code, not $2"; }
}

# One byte of a sample, in place.
change() {  # change FILE
  /usr/bin/python3 - "$1" <<'P'
import sys
data = open(sys.argv[1], "rb").read()
at = {"csv": data.find(b"25,35"), "png": data.find(b"\x0a" * 4), "raw": 129}.get(sys.argv[1][-3:])
if at is None: at = data.find(b"\0\0\x70\x41")  # 15.0
with open(sys.argv[1], "r+b") as f:
    f.seek(at)
    f.write(bytes([data[at] ^ 1]))
P
}
declare -A files=([plain]=plain.h5 [converted]=converted.h5 [csv]=rows.csv [raw]=rows.raw [images]=images/1.png)
for name in plain converted csv raw images; do
  cp "${files[$name]}" kept
  begin $name
  change "${files[$name]}"
  said $name "it is not what this job read there before"
  ended $name 66
  grep -qF "${files[$name]}" "log_$name" || fail "$name: the file is not named"
  cat kept > "${files[$name]}"
done

# A change that touches no sample of the job's is a warning, once, and no more.
rm -r run_plain
begin plain
touch plain.h5
said plain "warning: plain.h5 was written to, while this job reads it"
kill $pid
ended plain 143
[ "$(grep -c "while this job reads it" log_plain)" = 1 ] || fail "more than one warning"
rm -r run_csv
begin csv
echo "1,2,3,4" >> rows.csv
said csv "rows.csv has 200 bytes now and had 192"
kill $pid
ended csv 143
rm -r run_raw
begin raw
cp rows.raw other.raw
mv other.raw rows.raw
said raw "rows.raw is another file now, of the same size"
kill $pid
ended raw 143

# A resumed job.
sed -e 's/steps: 1000000000/steps: 4/' -e 's/rows.csv/again.csv/' csv.yaml > again.yaml
echo "checkpoint: {every: 2}" >> again.yaml
cp rows.csv again.csv
expect 0 "step 4/4" "$DFRUN" again.yaml --output again
sed -i 's/steps: 4/steps: 8/' again.yaml
cp -r again same
touch again.csv
expect 0 "resuming at step 4" "$DFRUN" again.yaml --output same --resume
if grep -q "have changed" out; then fail "the same data are said to have changed"; fi
sed -i 's/^10,/11,/' again.csv
expect 0 "the files of inputs.in have changed" "$DFRUN" again.yaml --output again --resume
[ "$(grep -c "have changed" out)" = 1 ] || fail "not one line"
echo "changes are found"
