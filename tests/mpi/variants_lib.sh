# Trainings of variants of a spec, and their comparison, for tests that set STEPS and CONFIGS. Source it after
# training_lib.sh.

# variant SPEC KEYS SECTION: the name of a copy of the spec with these keys of `train`, and this section at its end.
variant() {
  local spec=$CONFIGS/$(basename "$1" .yaml)-variant.yaml
  awk -v keys="$2" -v section="$3" -v steps="$STEPS" '/^[a-z]/ { skips = /^(train|eval|checkpoint):/ } !skips
    END { print "train: {loss: loss, steps: " steps ", log_every: 1, " keys "}"
          print section }' "$1" > "$spec"
  echo "$spec"
}
# run NAME RANKS SPEC OPTION...
run() {
  local name=$1 ranks=$2 spec=$3
  shift 3
  train "$ranks" "$spec" "$WORK/$name" "$@" > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "$name"; }
  losses "$WORK/$name" > "$WORK/$name.losses"
}
# same NAME OTHER: losses, and all that the checkpoints hold.
same() {
  cmp "$WORK/$1.losses" "$WORK/$2.losses" || fail "losses of $2 differ from those of $1"
  h5diff --follow-symlinks "$WORK/$1/checkpoints/step-$STEPS/index.h5" "$WORK/$2/checkpoints/step-$STEPS/index.h5" ||
    fail "variables of $2 differ from those of $1"
}
