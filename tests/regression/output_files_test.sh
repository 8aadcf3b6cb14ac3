#!/usr/bin/env bash
# --out, --stats and --json replace files that dfrun wrote, never an input, and others with --force alone.
#
#   output_files_test.sh SOURCE DFRUN
SOURCE=$1
DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

model=$SOURCE/tests/golden/eval/mlp.pb
cp "$SOURCE/tests/golden/eval/expected.h5" data.h5
eval_mlp() { "$DFRUN" eval "$model" --feed x=data.h5:/mlp/x --fetch h "$@"; }
export -f eval_mlp
export model DFRUN

# A user's files of each kind that could be taken for dfrun's.
echo 'note' > file
echo '{"step_ms": 3}' > file.json
cp data.h5 file.h5
cp "$model" file.pb
ln -s file.h5 link.h5
ln -s nowhere dangling.h5
mkfifo pipe
: > empty
mkdir directory
sha256sum file file.json file.h5 file.pb data.h5 empty > sums
unchanged() {
  sha256sum --quiet -c sums >&2 || fail "a file of the user was changed by: $*"
  [ -L link.h5 ] && [ -L dangling.h5 ] && [ ! -e nowhere ] && [ -p pipe ] || fail "a link or pipe is gone after: $*"
  [ -z "$(find . -name '*.tmp*')" ] || fail "a temporary file is left after: $*"
}
for flag in --out --stats; do
  for name in file file.json file.h5 file.pb empty; do
    expect 64 "which dfrun did not write" bash -c "eval_mlp $flag $name"
    unchanged "$flag $name"
  done
  for name in link.h5 dangling.h5 pipe directory /absent/x; do
    for force in "" --force; do
      expect 74 "cannot write '$name'" bash -c "eval_mlp $flag $name $force"
      unchanged "$flag $name $force"
    done
  done
done
for format in --text --dot --pb; do
  expect 64 "which dfrun did not write" "$DFRUN" graph "$model" $format --out file.pb
  expect 74 "cannot write" "$DFRUN" graph "$model" $format --out link.h5
  unchanged "graph $format"
done
expect 64 "which dfrun did not write" "$DFRUN" bench dispatch --json file.json
unchanged bench

# What dfrun wrote is replaced; another dfrun reads it as before.
for i in 1 2; do
  eval_mlp --out out.h5 --stats out.json
  "$DFRUN" graph "$model" --text --out out.txt
  "$DFRUN" graph "$model" --dot --out out.dot
  "$DFRUN" graph "$model" --pb --out out.pb
  "$DFRUN" graph "$model" --pb --out out.pbtxt
  "$DFRUN" graph "$model" --partitioned --pb --out part.pb > listed
  (mkdir -p traced && cd traced && "$DFRUN" eval "$model" --feed x=../data.h5:/mlp/x --fetch h --trace 1 > printed)
done
for graph in out.pb out.pbtxt; do
  "$DFRUN" eval $graph --feed x=data.h5:/mlp/x --fetch h --out again.h5
done
for python in python3 /usr/bin/python3; do
  if "$python" -c 'import h5py' 2>/dev/null; then break; fi
done
"$python" - <<'EOP'
import json, h5py
assert json.load(open("out.json"))["written_by"] == "dfrun"
with h5py.File("out.h5") as a, h5py.File("again.h5") as b:
    assert (a["h"][...] == b["h"][...]).all() and list(a) == ["h"]
EOP
echo '{}' > traced/trace/rank-0.json
expect 64 "--trace trace/rank-0.json" bash -c 'cd traced && DFRUN_TRACE=1 "$DFRUN" eval "$model" --feed x=../data.h5:/mlp/x --fetch h'
[ "$(cat traced/trace/rank-0.json)" = '{}' ] || fail "a trace of the user's is gone"

# An input is never replaced, marked or not, by any name, with --force too.
cp out.pb model.pb
"$DFRUN" eval "$model" --feed x=data.h5:/mlp/x --fetch x --out marked.h5
ln marked.h5 other_name.h5
for force in "" --force; do
  expect 64 "this command reads it" "$DFRUN" eval "$model" --feed x=marked.h5:/x --fetch h --out marked.h5 $force
  expect 64 "this command reads it" "$DFRUN" eval "$model" --feed x=marked.h5:/x --fetch h --out ./other_name.h5 $force
  expect 64 "this command reads it" "$DFRUN" eval model.pb --feed x=data.h5:/mlp/x --fetch h --stats model.pb $force
  expect 64 "this command reads it" "$DFRUN" graph model.pb --pb --out model.pb $force
done
cmp model.pb out.pb || fail "the model was replaced"
expect 64 "are the same file" bash -c "eval_mlp --out same --stats same"

# A spec's own data and files, and a checkpoint's.
cat > spec.yaml <<'EOS'
dfrun: 1
inputs:
  data: {hdf5: marked.h5, tensors: {v: /x}, batch: 1}
graph:
  y: data/v * 2
run: {steps: 1, fetch: {y: y}}
EOS
for force in "" --force; do
  expect 64 "this command reads it" "$DFRUN" eval spec.yaml --fetch y --out marked.h5 $force
  expect 64 "this command reads it" "$DFRUN" graph spec.yaml --out spec.yaml $force
done

# --force replaces a file of the user, and nothing else.
eval_mlp --out file.h5 --stats file.json --force
eval_mlp --out file.h5 --stats file.json
sha256sum data.h5 file file.pb empty > sums
unchanged --force
echo "files of the user stay"
