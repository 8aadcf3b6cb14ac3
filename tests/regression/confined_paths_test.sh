#!/usr/bin/env bash
# What a graph names is opened below the directories of the model, the run and the command line, and nowhere else.
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

mkdir -p job/model job/links outside cwd
echo secret > outside/secret.txt
echo fine > job/model/fine.txt
ln -s ../../outside/secret.txt job/model/link.txt
ln -s ../../outside job/model/directory
ln -s ../../outside/new.txt job/model/nowhere.txt
export HOME=$WORK
model=$WORK/job/model
cd cwd

# text NAME VALUE: a Const of this string; node NAME OP INPUT... -- ATTRS.
text() { echo "node { name: '$1' op: 'Const' attr { key: 'dtype' value { type: DT_STRING } } attr { key: 'value' value { tensor { dtype: DT_STRING tensor_shape { ${3:-} } string_val: '$2' } } } }"; }
read_file() {
  { text path "$1"; echo "node { name: 'y' op: 'ReadFile' input: 'path' }"; } > "$model/g.pbtxt"
}
write_file() {
  { text path "$1"; text bytes x; echo "node { name: 'y' op: 'WriteFile' input: 'path' input: 'bytes' }"; } > "$model/g.pbtxt"
}
ok() {
  timeout 60 "$@" > "$WORK/out" 2>&1 || fail "exit code $?: $* $(cat "$WORK/out")"
}
refused() { expect 65 "add --allow-paths $WORK/outside" "$DFRUN" eval "$model/g.pbtxt" "$@"; }

read_file "$model/fine.txt"
expect 0 'fine' "$DFRUN" eval "$model/g.pbtxt" --fetch y
for path in "$WORK/outside/secret.txt" ../outside/secret.txt "$model/link.txt" "$model/directory/secret.txt" \
    "$model/../../outside/secret.txt" "$model/none/../../../outside/secret.txt" "$WORK/outside/not_there"; do
  read_file "$path"
  refused --fetch y
  refused --fetch y --no-optimize
done
for path in /etc/passwd /proc/self/environ /dev/zero "$WORK/job/none" "$WORK/job/model2/x"; do
  read_file "$path"
  expect 65 "--allow-paths" "$DFRUN" eval "$model/g.pbtxt" --fetch y
done
read_file "$WORK/outside/secret.txt"
expect 0 secret "$DFRUN" eval "$model/g.pbtxt" --fetch y --allow-paths "$WORK/outside"
expect 0 secret "$DFRUN" eval "$model/g.pbtxt" --fetch y --allow-paths "$WORK/job" --allow-paths ../outside/secret.txt
expect 0 secret env DFRUN_ALLOW_PATHS="$WORK/outside" "$DFRUN" eval "$model/g.pbtxt" --fetch y
ok "$DFRUN" eval "$model/g.pbtxt" --fetch y --out "$WORK/outside/out.h5"
rm "$WORK/outside/out.h5"
expect 65 "--allow-paths" mpirun --oversubscribe -np 2 "$DFRUN" eval "$model/g.pbtxt" --fetch y
sed -i "s/op: 'ReadFile'/device: '\/task:1' op: 'ReadFile'/" "$model/g.pbtxt"
refuse_on_rank_1() { mpirun --oversubscribe -np 2 "$DFRUN" eval "$model/g.pbtxt" --fetch y "$@"; }
refuse_on_rank_1 > "$WORK/out" 2>&1 && fail "rank 1 read what it may not"
grep -qF "rank 1" "$WORK/out" && grep -qF -- "--allow-paths $WORK/outside" "$WORK/out" || fail "$(cat "$WORK/out")"
refuse_on_rank_1 --allow-paths ../outside | grep -qF secret || fail "rank 1 does not know what is allowed"

# In the home directory itself a model is not given all of it.
cp "$model/g.pbtxt" "$WORK/g.pbtxt"
sed -i "s/device: '.task:1'//" "$WORK/g.pbtxt"
cd "$WORK"
expect 65 "add --allow-paths" "$DFRUN" eval g.pbtxt --fetch y
cd cwd

# Writing: also through links, those that lead nowhere too, and beside a directory.
write_file written.txt
ok "$DFRUN" eval "$model/g.pbtxt" --target y
[ "$(cat written.txt)" = x ] || fail "nothing was written"
for path in "$WORK/outside/new.txt" "$model/nowhere.txt" "$model/directory/new.txt" "$WORK/outside/a/b/new.txt" \
    "$model/none/../../../outside/new.txt" "$WORK/outside/secret.txt"; do
  write_file "$path"
  refused --target y
done
[ "$(ls "$WORK/outside")" = secret.txt ] && [ "$(cat "$WORK/outside/secret.txt")" = secret ] || fail "written outside"

# Every other op that opens a path.
matching() { { text p "$1"; echo "node { name: 'y' op: 'MatchingFiles' input: 'p' }"; } > "$model/g.pbtxt"; }
for pattern in "$WORK/outside/*" "$model/directory/*" "$model/*/secret.txt"; do
  matching "$pattern"
  refused --fetch y
done
matching "$model/*/../../../outside/*"
expect 65 "may lead anywhere" "$DFRUN" eval "$model/g.pbtxt" --fetch y
matching "$model/f*.txt"
expect 0 fine.txt "$DFRUN" eval "$model/g.pbtxt" --fetch y

reader() {
  cat > "$model/g.pbtxt" <<END
$(text work "$WORK/outside/secret.txt" "dim { size: 1 }")
node { name: 'q' op: 'FIFOQueueV2' attr { key: 'component_types' value { list { type: DT_STRING } } } }
node { name: 'e' op: 'QueueEnqueueManyV2' input: 'q' input: 'work' attr { key: 'Tcomponents' value { list { type: DT_STRING } } } }
node { name: 'r' op: '$1' $2 }
node { name: 'y' op: 'ReaderReadV2' input: 'r' input: 'q' input: '^e' }
END
}
for op in TextLineReaderV2 WholeFileReaderV2 TFRecordReaderV2; do
  reader "$op" ""
  refused --fetch y
done
reader FixedLengthRecordReaderV2 "attr { key: 'record_bytes' value { i: 1 } }"
refused --fetch y

strings() { text names W "dim { size: 1 }"; text slices "" "dim { size: 1 }"; text prefix "$1"; }
value="node { name: 'v' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'value' value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 1 } } } }"
types="attr { key: 'dtypes' value { list { type: DT_FLOAT } } }"
{ strings "$WORK/outside/saved"; echo "$value node { name: 'y' op: 'SaveV2' input: ['prefix', 'names', 'slices', 'v'] $types }"; } > "$model/g.pbtxt"
refused --target y
{ strings "$WORK/outside/saved"; echo "$value node { name: 'y' op: 'Save' input: ['prefix', 'names', 'v'] attr { key: 'T' value { list { type: DT_FLOAT } } } }"; } > "$model/g.pbtxt"
refused --target y
{ strings "$WORK/outside/saved"; echo "node { name: 'y' op: 'RestoreV2' input: ['prefix', 'names', 'slices'] $types }"; } > "$model/g.pbtxt"
refused --fetch y
{ strings "$WORK/outside/*"; echo "node { name: 'n' op: 'Squeeze' input: 'names' attr { key: 'T' value { type: DT_STRING } } } node { name: 'y' op: 'Restore' input: ['prefix', 'n'] attr { key: 'dt' value { type: DT_FLOAT } } }"; } > "$model/g.pbtxt"
refused --fetch y
mkdir part
{ text parts part "dim { size: 1 }"; text to "$WORK/outside/saved"; echo "node { name: 'y' op: 'MergeV2Checkpoints' input: ['parts', 'to'] attr { key: 'allow_missing_files' value { b: true } } }"; } > "$model/g.pbtxt"
refused --target y
{ text parts "$WORK/outside" "dim { size: 1 }"; text to saved; echo "node { name: 'y' op: 'MergeV2Checkpoints' input: ['parts', 'to'] attr { key: 'allow_missing_files' value { b: true } } }"; } > "$model/g.pbtxt"
expect 65 "--allow-paths" "$DFRUN" eval "$model/g.pbtxt" --target y
{ text t hello; echo "node { name: 'y' op: 'PrintV2' input: 't' attr { key: 'output_stream' value { s: 'file://$WORK/outside/new.txt' } } }"; } > "$model/g.pbtxt"
refused --target y
{ text p "$WORK/outside/secret.txt"; echo "node { name: 'y' op: 'ReadTextRange' input: 'p' }"; } > "$model/g.pbtxt"
refused --fetch y
types="attr { key: 'key_dtype' value { type: DT_STRING } } attr { key: 'value_dtype' value { type: DT_INT64 } }"
cat > "$model/g.pbtxt" <<END
$(text p "$WORK/outside/secret.txt")
node { name: 't' op: 'HashTableV2' $types }
node { name: 'y' op: 'InitializeTableFromTextFileV2' input: 't' input: 'p' attr { key: 'key_index' value { i: -2 } } attr { key: 'value_index' value { i: -1 } } }
END
refused --target y
at="node { name: 'at' op: 'Const' attr { key: 'dtype' value { type: DT_INT64 } } attr { key: 'value' value { tensor { dtype: DT_INT64 tensor_shape { } int64_val: 0 } } } }"
batch="attr { key: 'component_types' value { list { type: DT_STRING } } } attr { key: 'shapes' value { list { shape { dim { size: -1 } } } } } attr { key: 'batch' value { i: 1 } }"
cat > "$model/g.pbtxt" <<END
$at
node { name: 'y' op: 'SampleReader' input: 'at' $batch attr { key: 'format' value { s: 'text' } } attr { key: 'files' value { list { s: '$WORK/outside/secret.txt' } } } attr { key: 'fields' value { list { s: 'line' } } } attr { key: 'sample_shapes' value { list { shape { } } } } }
END
refused --fetch y
cat > "$model/g.pbtxt" <<END
$at
node { name: 'y' op: 'HDF5Reader' input: 'at' $batch attr { key: 'path' value { s: '$WORK/outside/secret.txt' } } attr { key: 'datasets' value { list { s: '/x' } } } attr { key: 'external' value { b: true } } }
END
refused --fetch y
[ "$(ls "$WORK/outside")" = secret.txt ] || fail "written outside: $(ls "$WORK/outside")"

# A spec's inputs are the user's own words; the paths in its ops are confined too, but for the run directory and --set.
cat > "$WORK/job/spec.yaml" <<END
dfrun: 1
params: {file: "$WORK/outside/secret.txt"}
inputs: {lines: {text: ../outside/secret.txt, batch: 1}}
graph: {own: Identity(lines/line), y: "ReadFile('\${file}')"}
run: {fetch: [own]}
END
ok "$DFRUN" "$WORK/job/spec.yaml" --output run
sed -i 's/\[own\]/[y]/' "$WORK/job/spec.yaml"
expect 0 "ok" "$DFRUN" check "$WORK/job/spec.yaml"
expect 65 "add --allow-paths $WORK/outside" "$DFRUN" "$WORK/job/spec.yaml" --output run2
ok "$DFRUN" "$WORK/job/spec.yaml" --output run3 --allow-paths "$WORK/outside"
ok "$DFRUN" "$WORK/job/spec.yaml" --output run4 --set file="$WORK/outside/secret.txt"

# What is only looked at is read by nobody: a pipe would hold up who reads it.
mkfifo "$model/pipe"
read_file "$model/pipe"
expect 0 ReadFile timeout 5 "$DFRUN" graph "$model/g.pbtxt"
expect 0 ReadFile timeout 5 "$DFRUN" graph "$model/g.pbtxt" --partitioned
read_file "$model/fine.txt"
"$DFRUN" graph "$model/g.pbtxt" --partitioned > "$WORK/out"
if grep -q "fine$\|\"fine" "$WORK/out"; then fail "a file's bytes stand in the partitioned graph"; fi
matching "$model/f*.txt"
expect 0 MatchingFiles "$DFRUN" graph "$model/g.pbtxt" --partitioned

# The run directory is one of the working directory's.
for name in ../up /tmp/up . .. a/b '""'; do
  printf 'dfrun: 1\nname: %s\ngraph: {y: Identity(1.0)}\nrun: {fetch: [y]}\n' "$name" > "$WORK/job/named.yaml"
  expect 65 "named.yaml:2:7: 'name'" "$DFRUN" "$WORK/job/named.yaml"
done
