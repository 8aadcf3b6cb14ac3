#!/usr/bin/env bash
# A spec in any folder finds the layers that come with dfrun, and its own file of the same name first. Ranks that have
# nothing to compute are said in one line.
#   include_library_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

cat > model.yaml <<'SPEC'
dfrun: 1
name: model
include: [lib/nn.yaml]
graph:
  x:    RandomUniform(shape=[8, 4], dtype=float32)
  y:    dense(x, units=1)
  loss: Mean(Square(y))
train: {loss: loss, optimizer: sgd, learning_rate: 0.1, steps: 3, replicas: 2}
SPEC
expect 0 ok "$DFRUN" check model.yaml
mkdir lib
echo 'functions: {dense: {args: [x, units], returns: {y: "x"}}}' > lib/nn.yaml
expect 65 "model.yaml" "$DFRUN" check model.yaml
rm -r lib
sed 's|lib/nn.yaml|lib/none.yaml|' model.yaml > none.yaml
expect 65 "none.yaml:3:11: cannot read the spec 'lib/none.yaml'" "$DFRUN" check none.yaml

ranks 3 "$DFRUN" model.yaml --output three > out 2>&1 || fail "three ranks: $(cat out)"
[ "$(grep -c 'warning: 2 replicas on 3 ranks: 1 has nothing to compute (rank 2): ' out)" = 1 ] || fail "no warning: $(cat out)"
ranks 2 "$DFRUN" model.yaml --output two > out 2>&1 || fail "two ranks: $(cat out)"
if grep -q 'nothing to compute' out; then fail "a warning for two ranks: $(cat out)"; fi
echo "found, and warned"
