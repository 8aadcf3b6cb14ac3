#!/usr/bin/env bash
# run.json says what ran, with what, where, when and how it ended; runs that were gone on from keep theirs.
#   run_json_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

mkdir lib
printf 'dfrun: 1\nfunctions:\n  twice: {args: [x], returns: {y: x + x}}\n' > lib/twice.yaml
cat > 'a "b".yaml' <<'Y'
dfrun: 1
name: count
params: {steps: 2, value: 1}
include: [lib/twice.yaml]
graph:
  count: {op: Variable, shape: [], init: 0, dtype: int64}
  next:  AssignAdd(count, ${value})
run: {steps: "${steps}", fetch: {count: next}}
checkpoint: {every: 1, keep: 0}
Y
cat > check.py <<'P'
import json, re, sys
record = json.load(open(sys.argv[1]))
for text in sys.argv[2:]:
    if not eval(text, {"re": re}, record):
        sys.exit(f"{sys.argv[1]}: not {text}\n{json.dumps(record, indent=1)}")
P
check() {
  /usr/bin/python3 check.py "$@" || fail "run.json"
}
version=$("$DFRUN" --version | sed 's/^dfrun //')

ranks 2 "$DFRUN" 'a "b".yaml' --output run --set value=3 > log 2>&1 || { cat log; fail "the job"; }
check run/run.json "dfrun == '$version'" "spec == 'a \"b\".yaml'" "set == ['value=3']" "ranks == 2" \
  "hosts == 2 * ['$(hostname)']" "directory == '$PWD'" "from_step == 0" "steps == 2" "exit == 0" "error is None" \
  "[f['path'] for f in files] == ['a \"b\".yaml', 'lib/twice.yaml']" \
  "files[0]['text'].startswith('dfrun: 1\\nname: count\\n')" "'functions:' in files[1]['text']" \
  "all(re.fullmatch(r'\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ', t) for t in (begin, end))" "begin <= end"
cp run/run.json first.json

# A run that goes on from it has a record of its own; one with nothing to do has none.
expect 0 "nothing is left" "$DFRUN" 'a "b".yaml' --output run --resume
cmp first.json run/run.json || fail "a run that did nothing changed run.json"
expect 0 "resuming at step 2" "$DFRUN" 'a "b".yaml' --output run --resume --set steps=4
cmp first.json run/run-1.json || fail "run-1.json is not the earlier record"
check run/run.json "set == ['steps=4']" "from_step == 2" "exit == 0" "ranks == 1"

# An error is part of it; a kill leaves no end.
cat > fails.yaml <<'Y'
dfrun: 1
name: fails
graph:
  count: {op: Variable, shape: [], init: 0, dtype: int64}
  next:  AssignAdd(count, 1)
  less:  Less(next, 3)
  say:   {op: Assert, inputs: [less, next]}
run: {steps: 4, fetch: [next], targets: [say]}
Y
code=0
timeout 60 "$DFRUN" fails.yaml --output failed > out 2>&1 || code=$?
[ "$code" != 0 ] || { cat out; fail "the assertion held"; }
check failed/run.json "exit == $code" "'assertion' in error.lower()" "end is not None"
sed -e 's/steps: 4/steps: 100000000/' -e 's/next, 3/next, 1000000000/' fails.yaml > long.yaml
"$DFRUN" long.yaml --output killed > log 2>&1 &
job=$!
for _ in $(seq 1000); do
  if [ -s killed/metrics.jsonl ]; then break; fi
  sleep 0.01
done
kill -9 "$job"
wait "$job" 2> /dev/null || true
check killed/run.json "exit is None" "end is None" "ranks == 1"
# A job that could not begin leaves none.
expect 65 "" "$DFRUN" long.yaml --output refused --set nothing=1
[ ! -e refused ] || fail "a job that could not begin made its run directory"
echo "run.json: $(wc -c < run/run.json) bytes"
