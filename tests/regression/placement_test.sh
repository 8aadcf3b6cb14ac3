#!/bin/bash
# Graphs of parameter servers as TensorFlow's cluster runs them: what takes a variable's handle goes to the variable,
# whatever device it names. The values are what TensorFlow's cluster gives.
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

float='attr { key: "dtype" value { type: DT_FLOAT } }'
cat > read.pbtxt <<END
node { name: "v" op: "VarHandleOp" device: "/job:ps/task:0" $float attr { key: "shape" value { shape { } } }
       attr { key: "shared_name" value { s: "v" } } }
node { name: "c" op: "Const" device: "/job:ps/task:0" $float
       attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 3 } } } }
node { name: "i" op: "AssignVariableOp" input: "v" input: "c" device: "/job:ps/task:0" $float }
node { name: "r" op: "ReadVariableOp" input: "v" input: "^i" device: "/job:worker/task:0" $float }
node { name: "ok" op: "VarIsInitializedOp" input: "v" input: "^r" device: "/job:worker/task:0" }
node { name: "off" op: "VarIsInitializedOp" input: "v" device: "/job:worker/task:0" }
node { name: "at" op: "Neg" input: "r" device: "/job:worker/task:0"
       attr { key: "T" value { type: DT_FLOAT } } attr { key: "_class" value { list { s: "loc:@c" } } } }
END
on_two() { ranks 2 "$DFRUN" eval read.pbtxt "$@"; }
on_two --fetch r > out || fail "a read of a parameter server's variable"
grep -q 3 out || fail "it is not 3: $(cat out)"
on_two --fetch ok > out || fail "a test of a parameter server's variable"
grep -qi "true\|1" out || fail "it has a value: $(cat out)"
on_two --fetch off > out || fail "a test of a variable without a value"
grep -qi "false\|0" out || fail "it has none: $(cat out)"
on_two --fetch at > out || fail "a node that is colocated and names another device"
grep -q -- "-3" out || fail "it is not -3: $(cat out)"
