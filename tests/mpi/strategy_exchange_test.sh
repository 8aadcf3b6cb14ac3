#!/usr/bin/env bash
# A checkpoint of each strategy is resumed by each other one, and one line says so. What the new strategy has of its own
# begins at its first value: the outer momentum at 0, the replicas' variables as the job's, their slots as those of the
# first replica. A slope that is trained so ends where the same does in float64.
#   strategy_exchange_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"

awk 'BEGIN { print "x,y"; for (i = 0; i < 200; i++) print (i * 7 % 11) / 10 "," (i * 5 % 13) / 10 }' > "$WORK/slope.csv"
cat > "$WORK/slopes.py" <<'END'
"""slopes.py OPTIMIZER FROM TO FIRST LAST: the slope after FIRST steps of one strategy and the rest of another."""
import sys

BATCH, REPLICAS, SYNC_EVERY, OUTER_RATE, OUTER_MOMENTUM = 4, 2, 5, 0.6, 0.8
ROWS = [((i * 7 % 11) / 10, (i * 5 % 13) / 10) for i in range(200)]


class Momentum:
    def __init__(self):
        self.velocity = 0.0

    def step(self, gradient):
        self.velocity = 0.5 * self.velocity + gradient
        return 0.05 * self.velocity

    def copy(self):
        other = Momentum()
        other.velocity = self.velocity
        return other


class Adam:
    def __init__(self):
        self.mean, self.square, self.powers = 0.0, 0.0, (0.9, 0.999)

    def step(self, gradient):
        self.mean += (gradient - self.mean) * 0.1
        self.square += (gradient * gradient - self.square) * 0.001
        rate = 0.05 * (1 - self.powers[1]) ** 0.5 / (1 - self.powers[0])
        self.powers = (self.powers[0] * 0.9, self.powers[1] * 0.999)
        return rate * self.mean / (self.square ** 0.5 + 1e-8)

    def copy(self):
        other = Adam()
        other.mean, other.square, other.powers = self.mean, self.square, self.powers
        return other


def gradient(slope, step, replica):
    rows = ROWS[step * BATCH + replica * BATCH // REPLICAS:][:BATCH // REPLICAS]
    return sum(2 * x * (x * slope - y) for x, y in rows) / len(rows)


def sync(slope, slots, steps):
    for step in steps:
        slope -= slots.step(sum(gradient(slope, step, r) for r in range(REPLICAS)) / REPLICAS)
    return slope, slots


def in_turn(slope, slots, steps):
    for step in steps:
        for each in [gradient(slope, step, r) for r in range(REPLICAS)]:
            slope -= slots.step(each)
    return slope, slots


def local(slope, slots, steps):
    own, of_each, velocity = [slope] * REPLICAS, [slots.copy() for _ in range(REPLICAS)], 0.0
    for step in steps:
        own = [own[r] - of_each[r].step(gradient(own[r], step, r)) for r in range(REPLICAS)]
        if (step + 1) % SYNC_EVERY == 0 or step == steps[-1]:
            outer = slope - sum(own) / REPLICAS
            velocity = OUTER_MOMENTUM * velocity + outer
            slope -= OUTER_RATE * (outer + OUTER_MOMENTUM * velocity)
            own = [slope] * REPLICAS
    return slope, of_each[0]


WAYS = {"sync": sync, "async": in_turn, "local": local}
first, last = int(sys.argv[4]), int(sys.argv[5])
state = WAYS[sys.argv[2]](0.0, {"momentum": Momentum, "adam": Adam}[sys.argv[1]](), range(first))
print(WAYS[sys.argv[3]](*state, range(first, last))[0])
END

FIRST=15 LAST=40
declare -A keys=(
  [sync]="strategy: sync, replicas: 2"
  [async]="strategy: async, replicas: 2, max_staleness: 0"
  [local]="strategy: local, replicas: 2, sync_every: 5, outer_learning_rate: 0.6, outer_momentum: 0.8")
# run RANKS NAME OPTIMIZER STRATEGY STEPS OPTION...
run() {
  local ranks=$1 name=$2 optimizer=$3 strategy=$4 steps=$5
  shift 5
  cat > "$WORK/slope.yaml" <<END
dfrun: 1
name: slope
inputs:
  batch: {csv: slope.csv, header: true, tensors: {x: {from: x, dtype: float32}, y: {from: y, dtype: float32}}, batch: 4}
graph:
  W: {op: Variable, shape: [], init: zeros}
  loss: Mean(Square(batch/x * W - batch/y))
train: {loss: loss, steps: $steps, learning_rate: 0.05, optimizer: $optimizer, ${keys[$strategy]}}
checkpoint: {every: 0}
END
  if [ "$optimizer" = momentum ]; then sed -i 's/optimizer: momentum/&, momentum: 0.5/' "$WORK/slope.yaml"; fi
  train "$ranks" "$WORK/slope.yaml" "$WORK/$name" "$@" > "$WORK/log" 2>&1 || { cat "$WORK/log"; fail "$name"; }
}
slope() { h5dump -m '%.9g' -y -d /W:0 "$WORK/$1/checkpoints/step-$2/index.h5" | sed -n '/DATA {/{n;p;q}' | tr -d ' '; }
# near NAME STEP EXPECTED: within what float32 rounds away over the steps.
near() {
  local seen
  seen=$(slope "$1" "$2")
  awk -v a="$3" -v b="$seen" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(b != "" && d < 1e-5) }' ||
    fail "the slope of $1 is $seen, and not $3"
}
says() { [ "$(grep -cE "$1" "$WORK/log")" = 1 ] || { cat "$WORK/log"; fail "$from to $to by $optimizer: no one line '$1'"; }; }

for optimizer in momentum adam; do
  for from in "${!keys[@]}"; do
    run 2 "$from" $optimizer "$from" $FIRST
    near "$from" $FIRST "$(python3 "$WORK/slopes.py" $optimizer "$from" "$from" $FIRST $FIRST)"
    for to in "${!keys[@]}"; do
      if [ "$to" = "$from" ]; then continue; fi
      rm -rf "$WORK/other"
      cp -r "$WORK/$from" "$WORK/other"
      run 1 other $optimizer "$to" $LAST --resume
      near other $LAST "$(python3 "$WORK/slopes.py" $optimizer "$from" "$to" $FIRST $LAST)"
      says "train.strategy is $to and was $from"
      if [ "$optimizer" = adam ]; then continue; fi  # whose slots are named before the outer momentum
      if [ "$to" = local ]; then says "and was $from.*it has no .*'W/OuterMomentum'.*, which begins anew with this strategy"; fi
      if [ "$from" = local ]; then says "and was local.*it also has .*'W/OuterMomentum'.*, which is left out"; fi
    done
    rm -rf "${WORK:?}/$from"
  done
done
echo "checkpoints of sync, async and local are resumed by each other"
