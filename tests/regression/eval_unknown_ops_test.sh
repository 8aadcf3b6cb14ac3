#!/usr/bin/env bash
# An op that is not known refuses the runs that need it, and no other.
set -euo pipefail
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

float='attr { key: "T" value { type: DT_FLOAT } }'
cat > graph.pbtxt <<END
node { name: "it" op: "IteratorV2" attr { key: "output_types" value { list { type: DT_FLOAT } } } }
node { name: "next" op: "IteratorGetNext" input: "it" attr { key: "output_types" value { list { type: DT_FLOAT } } } }
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "y" op: "Neg" input: "next" $float }
node { name: "z" op: "Neg" input: "x" $float }
node { name: "later" op: "Neg" input: "x" $float attr { key: "later_option" value { i: 3 } } }
node { name: "after" op: "Neg" input: "later" $float }
END
expect 0 'y: float32[3] -1 -2 -3' "$DFRUN" eval graph.pbtxt --feed 'next=[1, 2, 3]' --fetch y
expect 0 'z: float32[] -2' "$DFRUN" eval graph.pbtxt --feed x=2 --fetch z
expect 65 "unknown op 'IteratorGetNext'" "$DFRUN" eval graph.pbtxt --fetch y
expect 65 "unknown attr 'later_option' of Neg" "$DFRUN" eval graph.pbtxt --feed x=2 --fetch after
expect 0 'after: float32[] -5' "$DFRUN" eval graph.pbtxt --feed later=5 --fetch after
expect 65 "unknown op 'IteratorV2'" "$DFRUN" eval graph.pbtxt --target it
for command in check graph; do
  expect 0 "node 'it': unknown op 'IteratorV2'" "$DFRUN" "$command" graph.pbtxt
  expect 0 "node 'later': unknown attr 'later_option'" "$DFRUN" "$command" graph.pbtxt
done
"$DFRUN" graph graph.pbtxt --pb --out again.pbtxt
for kept in 'op: "IteratorV2"' 'output_types' 'later_option' 'input: "it"'; do
  grep -qF "$kept" again.pbtxt || fail "'$kept' is not in the export"
done
if grep -q _UnknownOp again.pbtxt; then fail 'the export has an op that is not of the graph'; fi
expect 0 'y: float32[1] -1' "$DFRUN" eval again.pbtxt --feed 'next=[1]' --fetch y

# In a function: a call that is not needed does not count.
cat > calls.pbtxt <<END
library { function {
  signature { name: "f" input_arg { name: "a" type: DT_FLOAT } output_arg { name: "b" type: DT_FLOAT } }
  node_def { name: "m" op: "Mystery" input: "a" } ret { key: "b" value: "m:out:0" } } }
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "call" op: "StatefulPartitionedCall" input: "x"
  attr { key: "Tin" value { list { type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } }
  attr { key: "f" value { func { name: "f" } } } }
node { name: "y" op: "Neg" input: "call" $float }
node { name: "z" op: "Neg" input: "x" $float }
END
expect 0 'z: float32[] -2' "$DFRUN" eval calls.pbtxt --feed x=2 --fetch z
expect 65 "node 'm' of function 'f': unknown op 'Mystery'" "$DFRUN" eval calls.pbtxt --feed x=2 --fetch y
expect 0 'y: float32[] -4' "$DFRUN" eval calls.pbtxt --feed call=4 --fetch y
