#!/usr/bin/env bash
# An evaluation that would wait for ever for a queue says so instead; queues are filled beside the steps.
set -euo pipefail
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

types='attr { key: "component_types" value { list { type: DT_FLOAT } } }'
cat > graph.pbtxt <<END
node { name: "q" op: "FIFOQueueV2" $types attr { key: "shapes" value { list { shape { } } } } attr { key: "capacity" value { i: 4 } } }
node { name: "v" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { } } } }
node { name: "enq" op: "QueueEnqueueV2" input: "q" input: "v" attr { key: "Tcomponents" value { list { type: DT_FLOAT } } } }
node { name: "group" op: "NoOp" input: "^enq" }
node { name: "close" op: "QueueCloseV2" input: "q" }
node { name: "n" op: "Const" attr { key: "dtype" value { type: DT_INT32 } } attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { } int_val: 3 } } } }
node { name: "batch" op: "QueueDequeueManyV2" input: "q" input: "n" $types }
node { name: "y" op: "Neg" input: "batch" attr { key: "T" value { type: DT_FLOAT } } }
END
wait="would wait for ever"
expect 65 "node 'batch' (op QueueDequeueManyV2) $wait" "$DFRUN" eval graph.pbtxt --fetch y
expect 65 "('enq' would put elements into it)" "$DFRUN" eval graph.pbtxt --fetch y
expect 65 "2 elements more are taken out of the queue 'q'" "$DFRUN" eval graph.pbtxt --feed v=2 --fetch y --init enq
expect 65 "$wait" "$DFRUN" eval graph.pbtxt --feed v=2 --fetch y --target enq
expect 65 "$wait" "$DFRUN" eval graph.pbtxt --feed v=2 --fetch y --init enq --init enq --init enq --repeat 2
expect 65 "the queue 'q' holds 4 elements, and 1 more" "$DFRUN" eval graph.pbtxt --feed v=2 --target enq --repeat 5
expect 0 'y: float32[3] -2 -2 -2' "$DFRUN" eval graph.pbtxt --feed v=2 --fetch y --init enq --init enq --init enq
expect 0 'y: float32[3] -2 -2 -2' "$DFRUN" eval graph.pbtxt --feed v=2 --fetch y --runner enq
expect 0 'y: float32[50,3] -2' "$DFRUN" eval graph.pbtxt --feed v=2 --fetch y --runner enq --runner group --repeat 50
expect 0 'y: float32[50,3] -2' "$DFRUN" eval graph.pbtxt --feed v=2 --fetch y --runner enq --repeat 50 --threads 1
expect 64 'puts elements into no queue' "$DFRUN" eval graph.pbtxt --feed v=2 --fetch y --runner n
expect 64 "no node 'enqq', did you mean 'enq'?" "$DFRUN" eval graph.pbtxt --feed v=2 --fetch y --runner enqq
timeout 60 "$DFRUN" eval graph.pbtxt --target close || fail 'a close waits for nothing'
