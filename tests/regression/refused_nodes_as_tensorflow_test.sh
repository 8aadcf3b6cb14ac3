#!/usr/bin/env bash
# Of a graph with many nodes that cannot be, each run that needs one ends as TensorFlow's session ends it
# (tests/golden/refused): it is refused by the node's name, or it gives a value of TensorFlow's shape.
#   refused_nodes_as_tensorflow_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

graph=$SOURCE/tests/golden/refused/graph.pb
wrong=0 seen=0
while read -r name answer value; do
  fetch=$name/out
  [ "$name" != first ] || fetch=first
  code=0
  timeout 60 "$DFRUN" eval "$graph" --init v --init w --fetch "$fetch" > out 2>&1 || code=$?
  told=
  case $answer in
    runs) [ "$code" = 0 ] && grep -qF -- "$fetch: $value" out || told="TensorFlow gives $value" ;;
    refused) { [ "$code" -ge 64 ] && [ "$code" -le 78 ] && grep -qF -- "$name" out; } || told="TensorFlow refuses it" ;;
    either) [ "$code" -le 78 ] || told="it crashes" ;;
    *) told="no answer" ;;
  esac
  seen=$((seen + 1))
  [ -z "$told" ] || { wrong=$((wrong + 1)); echo "$name: $told; exit code $code: $(head -c 300 out)"; }
done < "$SOURCE/tests/golden/refused/answers.txt"
[ "$seen" -gt 100 ] || fail "$seen answers"
[ "$wrong" = 0 ] || fail "$wrong of $seen runs do not end as in TensorFlow"
echo "$seen nodes that cannot be end as in TensorFlow"
