#!/usr/bin/env bash
# The digits from TFRecord, CSV and fixed-length records train with the bits of those from HDF5, on any rank count; a
# job that ends early and is resumed on another goes on with the same samples; damaged records are left out and counted.
#   inputs_test.sh SOURCE_DIR DFRUN DIGITS_RECORDS
SOURCE=$1 DFRUN=$2
SCRATCH=$(mktemp -d)
trap 'rm -rf "$SCRATCH"' EXIT
WORK=$SCRATCH/$'caf\xe9'  # a path may be any bytes
mkdir "$WORK"
source "$SOURCE/tests/mpi/training_lib.sh"

spec=$(short_spec digits_mlp 2 20)
data=$WORK/configs/data
"$3" "$data/digits.h5" "$data" || fail "the files could not be written"

# spec_with NAME LINES: the spec, its training input replaced by these lines.
spec_with() {
  awk -v lines="$2" '
    /^  batch:/ { print; print lines; skipping = 1; next }
    skipping && /^    (hdf5|tensors):/ { next }
    { skipping = skipping && /^    /; print }' "$spec" > "$WORK/configs/$1.yaml"
  echo "$WORK/configs/$1.yaml"
}
tfrecord='    tfrecord: data/digits-*.tfrecord
    tensors: {image: {dtype: float32, shape: [64]}, label: {dtype: int64}}'
csv_tensors='    header: true
    tensors: {image: {from: "1:65"}, label: {dtype: int64}}'
csv="    csv: data/digits.csv
$csv_tensors"
zipped="    csv: [data/digits.csv.gz]
    compression: gzip
$csv_tensors"
fixed='    fixed_length: data/digits.bin
    record_bytes: 264
    readers: 3
    tensors: {label: {from: 0, dtype: int64, shape: []}, image: {from: 8, dtype: float32}}'

train 1 "$spec" "$WORK/hdf5" > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "the job with HDF5"; }
losses "$WORK/hdf5" > "$WORK/expected"
[ "$(sort -u -k2 "$WORK/expected" | wc -l)" -gt 10 ] || fail "the losses do not change: nothing is trained"
same() {
  losses "$WORK/$1" > "$WORK/seen"
  cmp "$WORK/expected" "$WORK/seen" || fail "the losses of $1 differ from those with HDF5 on 1 rank"
}
for job in "tfrecord 1" "tfrecord 2" "tfrecord 3" "tfrecord 4" "csv 2" "zipped 1" "fixed 4"; do
  read -r format ranks <<< "$job"
  train "$ranks" "$(spec_with "$format" "${!format}")" "$WORK/$format$ranks" > "$WORK/log" 2>&1 ||
    { cat "$WORK/log"; fail "the job with $format on $ranks ranks"; }
  same "$format$ranks"
done

# Half as many steps, then resumed to the end on another rank count.
whole=$(spec_with whole "$tfrecord")
half=$WORK/configs/half.yaml
sed -E 's/epochs: 2/epochs: 1/' "$whole" > "$half"
train 4 "$half" "$WORK/resumed" > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "half a job"; }
train 3 "$whole" "$WORK/resumed" --resume > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "the resumed job"; }
grep -q 'resuming at step' "$WORK/log" || { cat "$WORK/log"; fail "it did not say that it resumed"; }
if grep libprotobuf "$WORK/log"; then fail "a path that is not UTF-8 is not written"; fi
same resumed

# Among another number of samples the position would mean others.
longer=$(spec_with longer "$csv")
sed -E -i 's/epochs: 2/epochs: 1/' "$longer"
train 2 "$longer" "$WORK/longer" > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "an epoch of CSV"; }
another=$(sed -n 2p "$data/digits.csv")
printf '\n%s' "$another" >> "$data/digits.csv"
if train 2 "$longer" "$WORK/longer" --resume > "$WORK/log" 2>&1; then fail "a sample too many was not noticed"; fi
grep -q "digits.csv has 14[0-9]* samples, and .*digits.csv had 14" "$WORK/log" ||
  { cat "$WORK/log"; fail "the file and its samples are not named"; }

# A damaged record ends the job with its name, or is left out.
printf 'x' | dd of="$data/digits-1.tfrecord" bs=1 seek=1000 conv=notrunc status=none
if train 2 "$whole" "$WORK/damaged" > "$WORK/log" 2>&1; then fail "a damaged record was not noticed"; fi
grep -q 'digits-1.tfrecord, record [0-9]* at byte' "$WORK/log" || { cat "$WORK/log"; fail "the record is not named"; }
train 2 "$(spec_with skipping "$tfrecord
    on_error: skip")" "$WORK/skipping" > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "the job that skips"; }
grep -q '"batch/skipped": 1[,}]' "$WORK/skipping/metrics.jsonl" || fail "metrics.jsonl does not count the record"
echo "TFRecord, CSV and fixed-length records train like HDF5 on 1 to 4 ranks; resumed: $(grep -c . "$WORK/expected") losses"
