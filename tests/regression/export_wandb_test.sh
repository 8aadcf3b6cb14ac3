#!/usr/bin/env bash
# `dfrun export --to wandb` writes what metrics.jsonl and run.json hold, number by number: of resumed, failed and killed
# runs, and with records that end at each of the last bytes of a block or are longer than one.
#   export_wandb_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"
here=$SOURCE/tests/regression/events
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here

cat > far.yaml <<'Y'
dfrun: 1
params: {steps: 12, rate: 0.125, kind: noisy, fine: true}
graph:
  W:     {op: Variable, shape: [400], init: zeros}
  noise: RandomUniform(shape=[8, 400], minval=-0.1, maxval=0.1)
  loss:  Mean(Square(W + noise - 3.0))
  far:   Abs(Mean(W) - 1.5)
  none:  far / 0.0 * 0.0
  much:  far / 0.0
train: {loss: loss, optimizer: momentum, learning_rate: "${rate}", steps: "${steps}", log_every: 2}
eval:
  eval:  {every: 5, metrics: [far, none, much]}
checkpoint: {every: 6, keep: 2}
Y
check() { /usr/bin/python3 "$here/wandb_run.py" "$@" || fail "the export of $1"; }
ok() { timeout 60 "$@" > out 2>&1 || { cat out; fail "$*"; }; }
say() { /usr/bin/python3 -c "import wandb_run; $1" || fail "not: $1"; }

# A run of two starts, a second and more apart.
ok "$DFRUN" far.yaml --output run
sleep 1.1
expect 0 "resuming at step 12" "$DFRUN" far.yaml --output run --resume --set steps=31
ok "$DFRUN" export run --to wandb --out wandb/offline-run-20260131_235959-first-1
check run wandb/offline-run-20260131_235959-first-1
say "
run = wandb_run.Run('wandb/offline-run-20260131_235959-first-1/run-first-1.wandb')
steps = [row['_step'] for row in run.rows]
assert steps == sorted({*range(2, 31, 2), *range(5, 31, 5), 12, 31}), steps
assert run.config['rate'] == 0.125 and run.config['kind'] == 'noisy' and run.config['fine'] is True, run.config
assert run.summary['eval/much'] == float('inf') and run.summary['eval/none'] != run.summary['eval/none'], run.summary
assert run.rows[-1]['_runtime'] > 1 > run.rows[0]['_runtime'], run.rows
"
[ -d wandb/offline-run-20260131_235959-first-1/files ] || fail "no folder for wandb's own files"

# Equal bytes for equal input, and nothing is replaced without --force.
ok "$DFRUN" export run/ --to wandb --out offline-run-first-1/
cmp wandb/offline-run-20260131_235959-first-1/run-first-1.wandb offline-run-first-1/run-first-1.wandb || fail "other bytes"
expect 64 "--force" "$DFRUN" export run --to wandb --out offline-run-first-1
echo damaged > offline-run-first-1/run-first-1.wandb
ok "$DFRUN" export run --to wandb --out offline-run-first-1 --force
check run offline-run-first-1
for name in first.wandb offline-run- offline-run-20260131_235959- "offline-run-a b" "offline-run-$(printf %065d 0)"; do
  expect 64 "for wandb it is a directory of the name" "$DFRUN" export run --to wandb --out "$name"
  [ ! -e "$name" ] || fail "'$name' was made"
done

# A run that failed, and one that was killed, which has no end.
cat > fails.yaml <<'Y'
dfrun: 1
graph:
  count: {op: Variable, shape: [], init: 0, dtype: int64}
  next:  AssignAdd(count, 1)
  less:  Less(next, 5)
  say:   {op: Assert, inputs: [less, next]}
run: {steps: 8, fetch: [next], targets: [say]}
checkpoint: {every: 2}
Y
code=0
"$DFRUN" fails.yaml --output failed > out 2>&1 || code=$?
[ "$code" = 70 ] || { cat out; fail "the assertion held"; }
ok "$DFRUN" export failed --to wandb --out offline-run-failed
check failed offline-run-failed
say "assert wandb_run.one(wandb_run.Run('offline-run-failed/run-failed.wandb').exit, 1) == $code"
cp -r run killed
sed -i -E 's/^ "(end|exit)": [^,]*,/ "\1": null,/' killed/run.json
ok "$DFRUN" export killed --to wandb --out offline-run-killed
check killed offline-run-killed
say "assert wandb_run.Run('offline-run-killed/run-killed.wandb').exit is None"

# Names that are no UTF-8.
cp -r run $'r\xff'
sed -i 's/"spec": "far.yaml"/"spec": "a\/b#c.d.yaml"/' $'r\xff/run.json'
ok "$DFRUN" export $'r\xff' --to wandb --out offline-run-named
say "
run = wandb_run.Run('offline-run-named/run-named.wandb')
assert (run.text(8), run.text(3)) == ('r\ufffd', 'b_c.d'), run.run
"

# Records that end at each of the last bytes of a block, and one over several blocks.
cat > lengths.py <<'P'
import json, os, shutil, subprocess, sys
import wandb_run

dfrun = sys.argv[1]
lines = open("run/metrics.jsonl").read()
first = json.loads(lines.split("\n")[0])


def ends(name, length):
    """Exports a run whose first step has a text of this length, and returns where the pieces end."""
    shutil.copytree("run", name)
    with open(f"{name}/metrics.jsonl", "w") as out:
        out.write(json.dumps({**first, "note": "é" + "x" * length}) + "\n" + lines)
    subprocess.run([dfrun, "export", name, "--to", "wandb", "--out", f"offline-run-{name}"], check=True, timeout=60)
    wandb_run.check(name, f"offline-run-{name}")
    return [(end, kind) for end, kind, _ in wandb_run.pieces(open(f"offline-run-{name}/run-{name}.wandb", "rb").read())]


base = ends("n00", 30000)[2][0]
for left in range(12):
    found = ends(f"n{left + 1:02}", 30000 + wandb_run.BLOCK - left - base)
    assert found[2] == (wandb_run.BLOCK - left, wandb_run.FULL), (left, found[:5])
    # Behind 1 to 6 zeros, or none, a block begins with a record; 7 bytes hold the header of an empty piece.
    assert found[3][1] == (wandb_run.FIRST if left >= 7 else wandb_run.FULL), (left, found[:5])
for over in (1, 7, 8):
    found = ends(f"over{over}", 30000 + wandb_run.BLOCK + over - base)
    assert [kind for _, kind in found[2:4]] == [wandb_run.FIRST, wandb_run.LAST], found[:5]
kinds = [kind for _, kind in ends("long", 200000)]
assert kinds.count(wandb_run.MIDDLE) >= 10 and kinds.count(wandb_run.FIRST) >= 2, kinds  # history and summary
P
/usr/bin/python3 lengths.py "$DFRUN" || fail "records at the ends of blocks"
echo "wandb: $(stat -c %s offline-run-first-1/run-first-1.wandb) bytes of a run of 31 steps"
