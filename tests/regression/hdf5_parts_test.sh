#!/usr/bin/env bash
# Parts of virtual datasets, and files of external storage, that are there and are not what the dataset is made of: HDF5
# gives zeros for them, dfrun refuses them by name. Strings padded with NULs are whole.
#   hdf5_parts_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

parts() { /usr/bin/python3 "$SOURCE/tests/regression/hdf5/parts.py" "$@"; }
parts make

# input NAME FILE [KEYS]: a spec that reads /x of a file.
input() {
  printf 'dfrun: 1\ninputs: {in: {hdf5: %s, tensors: {x: /x}, batch: all%s}}\ngraph: {y: Identity(in/x)}\nrun: {fetch: {y: y}}\n' \
    "$2" "${3:-}" > "$1.yaml"
}

while IFS='|' read -r name text; do
  input "$name" "$name/whole.h5"
  if [ -z "$text" ]; then
    "$DFRUN" "$name.yaml" --output "$name.run" > out 2>&1 || { cat out; fail "$name is not read"; }
    parts same "$name/whole.h5" "$name.run/fetches.h5"
  else
    expect 66 "'/x' of $name/whole.h5 $text" "$DFRUN" check "$name.yaml"
    input "$name" "$name/whole.h5" ', external: true'
    expect 66 "'/x' of $name/whole.h5 $text" "$DFRUN" check "$name.yaml"
  fi
done < cases.txt

# The same of a file that is fed, and of a part that is damaged while a job runs.
cat > y.pbtxt <<'END'
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { unknown_rank: true } } } }
node { name: "y" op: "Identity" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
END
expect 66 "one cannot be read: cannot open cut/p1.h5 as an HDF5 file" \
  "$DFRUN" eval y.pbtxt --feed x=cut/whole.h5:/x --fetch y

# Damages of a byte: h5py's values of the parts, one by one, or an error.
parts damage 16
for number in $(seq 0 15); do
  input "d$number" "damage$number/whole.h5"
  if timeout 60 "$DFRUN" eval "d$number.yaml" --fetch y --out "d$number.out.h5" > out 2>&1; then
    parts same "damage$number/whole.h5" "d$number.out.h5"
  else
    grep -q "damage$number/" out || { cat out; fail "the damaged file has no name"; }
  fi
done

parts nul
printf 'dfrun: 1\ninputs: {in: {hdf5: nul.h5, tensors: {a: /a, s: /s}, batch: all}}\ngraph: {n: StringLength(in/a), m: StringLength(in/s)}\nrun: {fetch: [n, m]}\n' > nul.yaml
expect 0 'n: int32[3] 3 3 3' "$DFRUN" eval nul.yaml
grep -qF 'm: int32[3] 1 0 3' out || { cat out; fail "strings padded with spaces"; }
