#!/usr/bin/env bash
# Inputs of several files, missing values, and what is missing or cannot be read: exit code 66 with the place in the spec.
#   input_kinds_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

# input NAME SECTION [FETCH]: a spec that fetches the tensor x of an input.
input() {
  printf 'dfrun: 1\ninputs:\n  in: %s\ngraph: {y: Identity(in/x)}\nrun: {fetch: {y: y}}\n' "$2" > "$1.yaml"
}
evaluates() { expect 0 "$1" "$DFRUN" eval "$2.yaml"; }

printf 'a,b\n1,2\nNA,4\n' > na.csv
input na '{csv: na.csv, header: true, tensors: {x: {from: a, default: 0}}, batch: all}'
evaluates 'float32[2] 1 0' na
input listed '{csv: na.csv, header: true, na: ["2", NA], tensors: {x: {from: b, default: -1}}, batch: all}'
evaluates 'float32[2] -1 4' listed
input refused '{csv: na.csv, header: true, tensors: {x: {from: a}}, batch: all}'
missing="na.csv:3, record 1 at byte 8: column 0 ('a'): 'NA' is no float32; a 'default' of the tensor stands for missing values"
expect 66 "$missing" "$DFRUN" eval refused.yaml
expect 66 "refused.yaml:3:3: input 'in': node 'in/read'" "$DFRUN" refused.yaml --output refused
expect 66 "$missing" "$DFRUN" refused.yaml --output refused2
input pattern '{csv: ["n?.csv", na.csv], header: true, tensors: {x: {from: b}}, batch: all}'
evaluates 'float32[4] 2 4 2 4' pattern

# An integer that float32 would round, where no dtype is given: `check`, `eval` and the run say both ways out.
printf 'a\n1\n16777217\n' > ids.csv
rounded="ids.csv:3, record 1 at byte 4: column 0 ('a'): the integer 16777217 would become 16777216 as float32"
ways="give the tensor \`dtype: int64\`, or \`dtype: float32\` to have such numbers rounded"
for errors in fail skip; do
  input ids "{csv: ids.csv, header: true, tensors: {x: {from: a}}, batch: all, on_error: $errors}"
  for command in check eval run; do
    output=()
    if [ "$command" = run ]; then output=(--output "ids-$errors"); fi
    expect 66 "ids.yaml:3:13: input 'in': $rounded" "$DFRUN" "$command" ids.yaml "${output[@]}"
    grep -qF "$ways" out || fail "no way out is said: $(cat out)"
  done
done
input ids '{csv: ids.csv, header: true, tensors: {x: {from: a, dtype: int64}}, batch: all}'
evaluates 'int64[2] 1 16777217' ids
input ids '{csv: ids.csv, header: true, tensors: {x: {from: a, dtype: float32}}, batch: all}'
evaluates 'float32[2] 1 1.67772e+07' ids

# save NAME VALUES: an HDF5 file with /x.
save() {
  printf 'dfrun: 1\ngraph: {x: %s}\nrun: {fetch: [x], save: %s.h5}\n' "$2" "$1" > save.yaml
  "$DFRUN" save.yaml --output "$1.run" > log 2>&1 || { cat log; fail "no $1.h5"; }
  cp "$1.run/$1.h5" .
}
save part0 '[1.5, 2.5]'
save part1 '[3.5, 4.5, 5.5]'
input parts '{hdf5: [part0.h5, part1.h5], tensors: {x: /x}, batch: all}'
evaluates 'float32[5] 1.5 2.5 3.5 4.5 5.5' parts
input converted '{hdf5: "part?.h5", tensors: {x: {dtype: int64}}, batch: 4}'
sed -i 's/dtype: int64/from: \/x, dtype: int64/' converted.yaml
evaluates 'int64[5] 1 2 3 4 5' converted
for np in 1 2; do
  sed 's/^run: .*/run: {steps: 3, fetch: [y]}/' converted.yaml > steps.yaml
  ranks $np "$DFRUN" steps.yaml --output steps$np > log 2>&1 || { cat log; fail "several files on $np ranks"; }
done
cmp <(h5dump -d /y steps1/fetches.h5 | tail -n +2) <(h5dump -d /y steps2/fetches.h5 | tail -n +2) ||
  fail "several files give other samples on 2 ranks"

# What is not there or cannot be read.
input none '{hdf5: "none*.h5", tensors: {x: /x}, batch: all}'
expect 66 "none.yaml:3:14: input 'in': no file fits none*.h5" "$DFRUN" check none.yaml
input absent '{hdf5: [part0.h5, absent.h5], tensors: {x: /x}, batch: all}'
expect 66 "absent.yaml:3:14: input 'in': cannot open absent.h5" "$DFRUN" check absent.yaml
input dataset '{hdf5: part0.h5, tensors: {x: /y}, batch: all}'
expect 66 "there is no dataset '/y' in part0.h5; it holds /x" "$DFRUN" eval dataset.yaml
input kind '{hdf5: na.csv, tensors: {x: /x}, batch: all}'
expect 66 "kind.yaml:3:14: input 'in': cannot open na.csv as an HDF5 file" "$DFRUN" kind.yaml --output k
input directory '{tfrecord: ., tensors: {x: {from: record}}, batch: all}'
expect 66 "it is a directory" "$DFRUN" check directory.yaml
input column '{csv: na.csv, header: true, tensors: {x: c}, batch: all}'
expect 66 "there is no column 'c'" "$DFRUN" check column.yaml
input empty '{csv: none.csv, header: true, tensors: {x: c}, batch: all}'
: > none.csv
expect 66 "none.csv is empty" "$DFRUN" check empty.yaml
# A mistake of the spec's own is one still.
input wrong '{csv: na.csv, headr: true, tensors: {x: c}, batch: all}'
expect 65 "did you mean 'header'?" "$DFRUN" check wrong.yaml
# A file that no one may read, by a user whom permissions bind.
if [ "$(id -u)" = 0 ] && command -v setpriv > /dev/null; then
  cp na.csv secret.csv
  chmod 700 . && chmod 755 "$WORK" && chmod 600 secret.csv
  input secret '{csv: secret.csv, header: true, tensors: {x: a}, batch: all}'
  expect 66 "secret.csv: Permission denied" setpriv --reuid=65534 --regid=65534 --clear-groups "$DFRUN" check secret.yaml
fi
# A file that goes away between the check of the spec and the first step is met by a step.
printf 'dfrun: 1\ngraph: {t: "ReadTextRange('"'nowhere.txt'"')"}\nrun: {fetch: [t]}\n' > text.yaml
expect 66 "nowhere.txt" "$DFRUN" text.yaml --output t
echo "inputs of several files and missing values are read; what cannot be ends with 66"
