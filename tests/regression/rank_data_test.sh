#!/usr/bin/env bash
# Ranks that find other data under the same path are told apart before the first step, with rank, host and path.
#   rank_data_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

# Each rank in a folder of its own, as if each host had its own disk.
cat > in_own_folder <<'SH'
#!/usr/bin/env bash
cd "rank-$OMPI_COMM_WORLD_RANK" && exec "$@"
SH
chmod +x in_own_folder
on_own_disks=(mpirun --oversubscribe -np 2 ./in_own_folder "$DFRUN")

cat > make.yaml <<'YAML'
dfrun: 1
params: {rows: 12, columns: 4, high: 1.0}
graph:
  x: {op: RandomUniform, shape: ["${rows}", "${columns}"], dtype: float32}
  scaled: x * ${high}
  y: {op: RandomUniform, shape: ["${rows}"], dtype: float32}
run: {fetch: {x: scaled, y: y}, save: data.h5}
YAML
make_hdf5() {  # make_hdf5 FOLDER SET...
  local folder=$1 sets=()
  shift
  for set in "$@"; do sets+=(--set "$set"); done
  rm -rf made
  "$DFRUN" make.yaml --output made "${sets[@]}" > "$WORK/out" 2>&1 || { cat "$WORK/out"; fail "making data"; }
  mkdir -p "$folder/data"
  mv made/data.h5 "$folder/data/"
}
# The job of each input: every rank has a replica, which reads its slice.
write_job() {  # write_job NAME INPUT-LINES
  for folder in rank-0 rank-1; do
    mkdir -p "$folder"
    cat > "$folder/$1.yaml" <<YAML
dfrun: 1
inputs:
  batch:
$2
    batch: 4
graph:
  w: {op: Variable, shape: [1], init: ones}
  loss: "Mean(Square(batch/y - Sum(w)))"
train: {loss: loss, optimizer: sgd, learning_rate: 0.1, steps: 6, replicas: 2, log_every: 1}
YAML
  done
}
write_job hdf5 '    hdf5: data/data.h5
    tensors: {x: /x, y: /y}'
write_job csv '    csv: data/data-*.csv
    tensors: {y: {from: "0", dtype: float32}}'
differs() {  # differs JOB PATH TEXT: found before the first step
  rm -rf rank-0/run
  expect 66 "$3" "${on_own_disks[@]}" "$1.yaml" --output run
  grep -qE 'rank 1 \(host [^)]+\)' "$WORK/out" || { cat "$WORK/out"; fail "rank and host are not named"; }
  grep -qF "$2" "$WORK/out" || { cat "$WORK/out"; fail "the path is not named"; }
  [ ! -s rank-0/run/metrics.jsonl ] || fail "a step was run"
}

make_hdf5 rank-0
cp -r rank-0/data rank-1/
expect 0 "step 6/6" "${on_own_disks[@]}" hdf5.yaml --output run
make_hdf5 rank-1 rows=10
differs hdf5 data/data.h5 "'/x' is float32[10,4] here and float32[12,4] there"
make_hdf5 rank-1 rows=16
differs hdf5 data/data.h5 "'/x' is float32[16,4] here and float32[12,4] there"
make_hdf5 rank-1 columns=5
differs hdf5 data/data.h5 "'/x' is float32[12,5] here"
make_hdf5 rank-1 high=2.0
differs hdf5 data/data.h5 "its bytes are others"
echo "no HDF5" > rank-1/data/data.h5
differs hdf5 data/data.h5 "it has no dataset '/x' here"
rm rank-1/data/data.h5
differs hdf5 data/data.h5 "cannot be read here"
mkdir rank-1/data/data.h5
differs hdf5 data/data.h5 "it is a directory"
rmdir rank-1/data/data.h5

for folder in rank-0 rank-1; do
  seq 0 0.5 9 > "$folder/data/data-0.csv"
  seq 1 0.5 10 > "$folder/data/data-1.csv"
done
rm -rf rank-0/run
expect 0 "step 6/6" "${on_own_disks[@]}" csv.yaml --output run
echo 11 >> rank-1/data/data-1.csv
differs csv data/data-1.csv "bytes here and"
rm rank-1/data/data-1.csv
differs csv data/data-1.csv "cannot be read here"

# A text that all ranks read a part of.
for folder in rank-0 rank-1; do
  cp "$SOURCE/configs/wordcount.yaml" "$folder/"
  cp "$SOURCE/LICENSE" "$folder/text"
done
rm -rf rank-0/run
expect 0 "" "${on_own_disks[@]}" wordcount.yaml --output run --set text=text
echo "more words" >> rank-1/text
rm -rf rank-0/run
expect 66 "text is not what rank 0 finds" "${on_own_disks[@]}" wordcount.yaml --output run --set text=text

# What only the evaluation reads, on the worker's rank.
for folder in rank-0 rank-1; do
  cat > "$folder/evaluated.yaml" <<'YAML'
dfrun: 1
cluster: {jobs: {ps: 1, worker: rest}}
inputs:
  batch: {csv: data/data-0.csv, tensors: {y: {from: "0", dtype: float32}}, batch: 4}
  test: {hdf5: data/data.h5, tensors: {y: /y}, batch: all}
graph:
  w: {op: Variable, shape: [1], init: ones}
  loss: "Mean(Square(batch/y - Sum(w)))"
train: {loss: loss, optimizer: sgd, learning_rate: 0.1, steps: 6, log_every: 1}
eval: {every: 3, feed: {batch: test}, metrics: [loss]}
YAML
done
make_hdf5 rank-1 rows=10
differs evaluated data/data.h5 "'/y' is float32[10] here and float32[12] there"
echo "other rows, shapes, bytes and missing files are found before the first step"
