#!/usr/bin/env bash
# A loss and metrics that are quotients of sums, {sum: total, over: count}: what they give does not depend on how samples
# are cut into batches and slices, and the gradients are those of the whole quotient, dense and sparse ones.
#   quotients_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

cat > data.py <<'P'
import h5py, numpy as np
rng = np.random.default_rng(5)
with h5py.File("data.h5", "w") as f:
    for name, rows in (("train", 24), ("test", 37)):
        f[f"{name}/token"] = rng.integers(0, 7, (rows, 3)).astype("i4")
        f[f"{name}/target"] = rng.standard_normal((rows, 3)).astype("f4")
        f[f"{name}/mask"] = (rng.random((rows, 3)) < 0.4).astype("f4")
P
/usr/bin/python3 data.py
cat > masked.yaml <<'Y'
dfrun: 1
params: {replicas: 1, batch: 5, by: ps}
inputs:
  batch: {hdf5: data.h5, tensors: {token: /train/token, target: /train/target, mask: /train/mask}, batch: 8}
  test: {hdf5: data.h5, tensors: {token: /test/token, target: /test/target, mask: /test/mask}, batch: "${batch}"}
graph:
  table: {op: Variable, shape: [7, 1], init: zeros}
  scale: {op: Variable, shape: [1, 3], init: ones}
  guess: "Squeeze(GatherV2(table, batch/token, 0), axis=[2]) * scale + scale"
  total: Sum(Square(guess - batch/target) * batch/mask)
  count: Sum(batch/mask)
  whole: Cast(count, DstT=int32)
  table_sum: Sum(Square(table))
  scale_sum: Sum(Square(scale))
summaries: {scalars: [table_sum, scale_sum]}
train:
  loss: {sum: total, over: whole}
  learning_rate: 0.1
  steps: 9
  log_every: 1
  replicas: "${replicas}"
  data_parallel: "${by}"
eval: {every: 3, feed: {batch: test}, metrics: {loss: {sum: total, over: count}, whole: {sum: total, over: whole}, count: count}}
Y
cat > check.py <<'P'
import json, sys
import h5py, numpy as np
f = h5py.File("data.h5")
data = {name: [f[f"{name}/{t}"][...] for t in ("token", "target", "mask")] for name in ("train", "test")}
table, scale = np.zeros((7, 1)), np.ones((1, 3))
def quotient(rows):
    token, target, mask = rows
    guess = table[token][:, :, 0] * scale + scale
    error = (guess - target) * mask
    return (error * error).sum() / mask.sum(), 2 * error / mask.sum(), token
steps, evals = {}, {}
for step in range(1, 10):
    rows = [a[(step - 1) % 3 * 8:][:8] for a in data["train"]]
    before = (table ** 2).sum(), (scale ** 2).sum()
    loss, error, token = quotient(rows)
    steps[step] = {"loss": loss, "table_sum": before[0], "scale_sum": before[1]}
    gradient = np.zeros((7, 1))
    np.add.at(gradient[:, 0], token, error * scale)
    scale_gradient = (error * (table[token][:, :, 0] + 1)).sum(0, keepdims=True)
    table, scale = table - 0.1 * gradient, scale - 0.1 * scale_gradient
    if step % 3 == 0:
        evals[step] = quotient(data["test"])[0]
for path in sys.argv[1:]:
    seen = 0
    for line in open(path):
        values = json.loads(line)
        wanted = steps[values["step"]]
        if "eval/loss" in values:
            wanted = {"eval/loss": evals[values["step"]], "eval/whole": evals[values["step"]]}
        for name, value in wanted.items():
            assert abs(values[name] - value) <= 4e-6 * abs(value) + 1e-9, (path, values["step"], name, values[name], value)
            seen += 1
    assert seen == 9 * 3 + 3 * 2, (path, seen)
P
for replicas in 1 2 4 8; do
  expect 0 "step 9/9" "$DFRUN" masked.yaml --output "of$replicas" --set replicas=$replicas --set batch=$((2 + replicas))
done
expect 0 "step 9/9" "$DFRUN" masked.yaml --output whole --set batch=all
/usr/bin/python3 check.py {of1,of2,of4,of8,whole}/metrics.jsonl || fail "other values than numpy's"
for ranks in 2 4; do
  for by in ps allreduce; do
    ranks $ranks "$DFRUN" masked.yaml --output "on$ranks$by" --set replicas=4 --set batch=6 --set by=$by > out 2>&1 ||
      { cat out; fail "$ranks ranks by $by"; }
    diff <(metric_lines of4) <(metric_lines "on$ranks$by") || fail "$ranks ranks by $by: other bits than one rank"
  done
done

# `dfrun eval` has the same values, by whole passes and of a batch that is fed.
expect 0 "step 9/9" "$DFRUN" masked.yaml --output more --set replicas=1 --set batch=37
if grep -q "changes with 'replicas'\|warning: .*replicas" out; then cat out; fail "a warning of the loss"; fi
expect 0 "dfrun" "$DFRUN" eval masked.yaml --out pass.h5
expect 0 "dfrun" "$DFRUN" eval masked.yaml --out step.h5 --feed batch/token=data.h5:/train/token \
  --feed batch/target=data.h5:/train/target --feed batch/mask=data.h5:/train/mask
/usr/bin/python3 - <<'P' || fail "dfrun eval"
import h5py
data = h5py.File("data.h5")
for name, rows in (("pass", "test"), ("step", "train")):
    target, mask = (data[f"{rows}/{t}"][...].astype("f8") for t in ("target", "mask"))
    wanted = (((1 - target) * mask) ** 2).sum() / mask.sum()
    got = h5py.File(f"{name}.h5")
    assert abs(got["loss"][()] - wanted) < 4e-6 * wanted and abs(got["whole"][()] - wanted) < 4e-6 * wanted, (name, wanted)
P

# What cannot be is said with its place.
sed 's/over: whole}$/over: table_sum}/' masked.yaml > trained.yaml
expect 65 "trained.yaml:17:15: the loss is divided by 'table_sum', which changes with the trained variable 'table'" \
  "$DFRUN" check trained.yaml
sed 's/over: whole}$/ove: whole}/' masked.yaml > misspelt.yaml
expect 65 "unknown key 'ove' of a quotient of 'loss', did you mean 'over'?" "$DFRUN" check misspelt.yaml
sed 's/loss: {sum: total, over: whole}$/loss: {sum: whole, over: total}/' masked.yaml > integer.yaml
expect 65 "the loss must be a floating-point scalar, but 'whole' is int32" "$DFRUN" check integer.yaml
echo "quotients of sums do not depend on how samples are cut"
