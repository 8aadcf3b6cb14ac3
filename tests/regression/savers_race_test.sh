#!/usr/bin/env bash
# Four processes save under one name at the same time, again and again: each time one whole checkpoint of one of them
# stands there, none of them fails, and nothing else is left. Also where locks are refused, and renames with flags too.
#
#   savers_race_test.sh SOURCE DFRUN [ROUNDS] [LIBRARY]
SOURCE=$1
DFRUN=$2
ROUNDS=${3:-40}
LIBRARY=${4:-$(dirname "$DFRUN")/libdfrun_test_file_system.so}
source "$SOURCE/tests/regression/lib.sh"

[ -f "$LIBRARY" ] || fail "there is no $LIBRARY"
source "$SOURCE/tests/preload.sh"
preload_name LIBRARY

text() {  # text NAME DTYPE-SHAPE VALUES: a constant
  echo "node { name: \"$1\" op: \"Const\" attr { key: \"dtype\" value { type: $2 } }
    attr { key: \"value\" value { tensor { dtype: $2 tensor_shape { $3 } $4 } } } }"
}
constants() {
  text path DT_STRING "" "string_val: \"$WORK/saved/model\""
  text names DT_STRING "dim { size: 2 }" 'string_val: "a" string_val: "b"'
  text all DT_STRING "dim { size: 2 }" 'string_val: "" string_val: ""'
}
# The values of a saver are its number, in tensors of other sizes than those of the others.
for saver in 1 2 3 4; do
  {
    constants
    text a DT_FLOAT "dim { size: 1000 }" "float_val: $saver"
    text b DT_FLOAT "dim { size: $((saver * 1000)) }" "float_val: $saver"
    echo 'node { name: "do" op: "SaveV2" input: "path" input: "names" input: "all" input: "a" input: "b"
      attr { key: "dtypes" value { list { type: DT_FLOAT type: DT_FLOAT } } } }'
  } > "saver$saver.pbtxt"
done
{
  constants
  text axis DT_INT32 "" "int_val: 0"
  echo 'node { name: "read" op: "RestoreV2" input: "path" input: "names" input: "all"
    attr { key: "dtypes" value { list { type: DT_FLOAT type: DT_FLOAT } } } }
  node { name: "both" op: "ConcatV2" input: "read" input: "read:1" input: "axis"
    attr { key: "N" value { i: 2 } } attr { key: "T" value { type: DT_FLOAT } }
    attr { key: "Tidx" value { type: DT_INT32 } } }
  node { name: "least" op: "Min" input: "both" input: "axis" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "most" op: "Max" input: "both" input: "axis" attr { key: "T" value { type: DT_FLOAT } } }'
} > reader.pbtxt

# race WORDS ROUNDS: what the file system refuses.
race() {
  local words=$1 round saver status pids
  for ((round = 1; round <= $2; ++round)); do
    pids=()
    for saver in 1 2 3 4; do
      REFUSE=$words LD_PRELOAD=$LIBRARY timeout 60 "$DFRUN" eval "saver$saver.pbtxt" --target do --repeat 3 --threads 1 \
        > "log$saver" 2>&1 &
      pids+=($!)
    done
    for saver in 1 2 3 4; do
      status=0
      wait "${pids[saver - 1]}" || status=$?
      if [ "$status" != 0 ] || [ -s "log$saver" ]; then
        cat "log$saver" >&2
        fail "saver $saver of round $round ($words) ended with $status"
      fi
    done
    REFUSE=$words LD_PRELOAD=$LIBRARY timeout 60 "$DFRUN" eval reader.pbtxt --fetch least --fetch most --threads 1 \
      > read 2>&1 || { cat read >&2; fail "nothing whole after round $round ($words)"; }
    [ "$(sed -n 's/^least: //p' read)" = "$(sed -n 's/^most: //p' read)" ] || { cat read >&2; fail "a mixture"; }
    [ "$(ls -A saved)" = model ] || { ls -A saved >&2; fail "round $round ($words) left more than a checkpoint"; }
    [ "$(ls -A saved/model | tr '\n' ' ')" = "index.h5 manifest.json shard-0.h5 " ] || fail "files are left"
  done
}
others=$((ROUNDS < 200 ? ROUNDS / 4 : ROUNDS))
race "" "$ROUNDS"
race locks "$others"
race "locks flags" "$others"
echo "$ROUNDS rounds, $others without locks, and $others without locks and flags"
