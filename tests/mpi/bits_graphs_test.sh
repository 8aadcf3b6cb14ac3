#!/usr/bin/env bash
# A training with 4 replicas has the same bits with the optimising passes as without, and on 1, 2, 3, 4 and 8 ranks by 1
# and 2 threads: losses of every step, and the variables in the end.
#   bits_graphs_test.sh SOURCE_DIR DFRUN SPEC
SOURCE=$1 DFRUN=$2 SPEC=$3
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"

cp "$SPEC" "$WORK/spec.yaml"
cp "$SOURCE/configs/data/digits.h5" "$WORK/"
echo 'checkpoint: {every: 8}' >> "$WORK/spec.yaml"

# run NAME RANKS OPTION...
run() {
  local name=$1 ranks=$2
  shift 2
  train "$ranks" "$WORK/spec.yaml" "$WORK/$name" "$@" > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "$name"; }
  losses "$WORK/$name" > "$WORK/$name.losses"
}
same() {
  cmp "$WORK/plain.losses" "$WORK/$1.losses" || fail "losses of $1 differ from those of one rank without the passes"
  h5diff --follow-symlinks "$WORK/plain/checkpoints/step-8/index.h5" "$WORK/$1/checkpoints/step-8/index.h5" ||
    fail "variables of $1 differ from those of one rank without the passes"
}

run plain 1 --threads 1 --no-optimize
[ "$(sort -u -k2 "$WORK/plain.losses" | wc -l)" = 8 ] || { cat "$WORK/plain.losses"; fail "the losses do not change"; }
h5ls -rE "$WORK/plain/checkpoints/step-8/index.h5" | grep -q Dataset || fail "no variables were saved"
for ranks in 1 2 3 4 8; do
  for threads in 1 2; do
    run "ranks$ranks-threads$threads" "$ranks" --threads "$threads"
    same "ranks$ranks-threads$threads"
  done
done
echo "the same bits on 1 to 8 ranks by 1 and 2 threads, with the passes and without"
