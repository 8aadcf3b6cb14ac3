#!/usr/bin/env bash
# Keys that the command line sets, the spec as it is understood, and spec.yaml of a run directory.
#   set_and_print_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

SPEC=$SOURCE/configs/digits_mlp.yaml
# without_comments FILE: what a spec says.
without_comments() { sed -e '/^#/d' -e 's/  # .*$//' "$1"; }

# Every command takes any key by its path.
expect 0 "ok" "$DFRUN" check "$SPEC" --set train.optimizer=adam --set train.momentum=null --set eval.metrics.0=loss
expect 0 "int64[300]" "$DFRUN" graph "$SPEC" --text --set inputs.test.batch=300
expect 65 "--set train.step=5: unknown key 'step' of the section 'train', did you mean 'steps'?" \
  "$DFRUN" check "$SPEC" --set train.step=5
expect 65 "there is no key and no param 'trian.steps', did you mean 'train.steps'?" "$DFRUN" check "$SPEC" --set trian.steps=5
expect 65 "there is no 'losss' in 'graph', did you mean 'graph.loss'?" "$DFRUN" graph "$SPEC" --set graph.losss=1
expect 64 "--set takes key=value, not 'steps'" "$DFRUN" check "$SPEC" --set steps

# What is printed prints to the same, and has the same graph.
"$DFRUN" check "$SPEC" --print --set hidden=32 --set train.steps=5 > first.yaml || fail "--print"
grep -q '^  hidden: 32  # --set$' first.yaml || { cat first.yaml; fail "the param"; }
grep -q '^  steps: 5  # --set$' first.yaml || { cat first.yaml; fail "the steps"; }
grep -q '^  log_every: 10  # digits_mlp.yaml:22$' first.yaml || { cat first.yaml; fail "a line of the spec"; }
grep -q '^  deterministic: true  # default$' first.yaml || { cat first.yaml; fail "a default"; }
! grep -q 'epochs\|include' first.yaml || { cat first.yaml; fail "what is taken away is there"; }
"$DFRUN" check first.yaml --print > second.yaml || { cat first.yaml; fail "what was printed is no spec"; }
cmp <(without_comments first.yaml) <(without_comments second.yaml) || fail "it prints to something else"
cmp <(sed -n 2p first.yaml) <(sed -n 2p second.yaml) || fail "another graph"
expect 64 "--print" "$DFRUN" check "$SOURCE/tests/golden/eval/mlp.pb" --print

# A run keeps it; --steps is a --set.
expect 0 "step 20/20" "$DFRUN" "$SPEC" --output run --steps 20 --set hidden=16
grep -q '^  steps: 20  # --steps$' run/spec.yaml || { cat run/spec.yaml; fail "spec.yaml"; }
grep -q '"set": \["hidden=16", "train.steps=20"\]' run/run.json || { cat run/run.json; fail "run.json"; }
! grep -q -- '"--steps' run/run.json || fail "an option is among the files of run.json"
expect 0 "ok" "$DFRUN" check run/spec.yaml
expect 0 "accuracy" "$DFRUN" eval run/spec.yaml --restore run
"$DFRUN" eval "$SPEC" --set hidden=16 --restore run > of_spec
"$DFRUN" eval run/spec.yaml --restore run > of_run
cmp of_spec of_run || fail "spec.yaml evaluates to something else"

# A resumed run with other settings says so; spec.yaml goes on with the job, and its origins stay.
cp run/spec.yaml kept.yaml
expect 0 "had --set hidden=16 --set train.steps=20; this one has --set train.steps=25" \
  "$DFRUN" run/spec.yaml --output run --resume --set train.steps=25
grep -q "resuming at step 20" out || { cat out; fail "not resumed"; }
! grep -q "differ: " out || { cat out; fail "spec.yaml and the spec differ"; }
cmp kept.yaml run/spec.yaml || fail "a spec that the job was read from was written"
expect 0 "step 30/30" "$DFRUN" "$SPEC" --output run --resume --set hidden=16 --steps 30
grep -q '^  steps: 30  # --steps$' run/spec.yaml || { cat run/spec.yaml; fail "spec.yaml is that of an earlier run"; }

# A file of the user's stays.
mkdir own
printf 'mine\n' > own/spec.yaml
expect 0 "own/spec.yaml is no file of dfrun's, and stays as it is" "$DFRUN" "$SPEC" --output own --steps 1
[ "$(cat own/spec.yaml)" = mine ] || fail "a file of the user's was written"

# Units are those of keys and flags alike.
expect 64 "--stall: must be a number of seconds, or one with s, m, h or d, not '1h30m': it has one unit, write 90m" \
  "$DFRUN" "$SPEC" --output units --stall 1h30m
expect 64 "not '5 mb': mb may stand for a power of 1,000 or of 1,024; write 5MiB, or 5000000" \
  "$DFRUN" info --selftest --most-bytes "5 mb"
expect 64 "--grace: Value 172800 not in range" "$DFRUN" "$SPEC" --output units --grace 2d
expect 64 "each is a number of seconds, or one with s, m, h or d" "$DFRUN" "$SPEC" --output units --heartbeat 5m,1h30m
[ ! -e units ] || fail "a wrong command line made a run directory"
expect 0 "step 1/1" env DFRUN_STALL=1.5m "$DFRUN" "$SPEC" --output units --steps 1 --grace 1m --heartbeat 1s,0.5m --start-timeout 2h
expect 0 "step 1/1" "$DFRUN" "$SPEC" --output sizes --steps 1 --set train.data_parallel=allreduce --set train.bucket_bytes=64KiB
grep -q '^  bucket_bytes: 64KiB  # --set$' sizes/spec.yaml || { cat sizes/spec.yaml; fail "bucket_bytes"; }
