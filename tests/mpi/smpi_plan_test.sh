#!/usr/bin/env bash
# What `dfrun plan` says of a step, beside what SimGrid's SMPI counts for the real program: as many messages with as many
# bytes within hosts and between them, and where nodes take no time about the time of the step. Exit 77 where there is no smpirun or no part for it.
#   smpi_plan_test.sh SOURCE_DIR DFRUN RANKS
SOURCE=$1 DFRUN=$2 RANKS=$3
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
source "$SOURCE/tests/mpi/training_lib.sh"
source "$SOURCE/tests/mpi/smpi_lib.sh"
SMPI_SECONDS=3000
SMPI_OPTIONS=(--cfg=contexts/factory:raw --cfg=contexts/stack-size:1024 --cfg=smpi/allgatherv:mpich_rdb
              --cfg=smpi/allgather:rdb)
# Links as those of a plan: SMPI would have the speeds of one cluster by the size of a message. Ranks that wait ask for
# messages again and again, each time so many seconds later.
asks_every=1e-7
if [ "$RANKS" -ge 1024 ]; then asks_every=5e-7; fi
SMPI_OPTIONS+=(--cfg=smpi/lat-factor:0:1 --cfg=smpi/bw-factor:0:1 --cfg=network/crosstraffic:0
               --cfg=smpi/iprobe:$asks_every --cfg=smpi/test:$asks_every --cfg=smpi/grow-injected-times:no
               --cfg=smpi/display-timing:yes --log=smpi_utils.threshold:info)
PER_NODE=8
spec=$(short_spec digits_mlp 1 1000)
step() {  # step STEPS: prints the options of a job of so many steps, of which the first and the last are logged
  echo --set batch=1024 --set train.replicas="$RANKS" --set train.epochs=null --set train.steps="$1" \
    --set train.log_every=1000 --set eval=null --set checkpoint=null
}

SMPI_OPTIONS+=(-trace-ti)
run() {  # run STEPS: a job of so many steps, with its calls of MPI in STEPS.calls and its time in STEPS.time
  simulated "$spec" $(step "$1") --threads 1 --output "$WORK/run_$1" || { tail -n 40 "$WORK/log"; fail "$1 steps"; }
  mv "$WORK/smpi_simgrid.txt_files" "$WORK/$1.calls"
  sed -n 's/.*Simulated time: \([^ ]*\) seconds.*/\1/p' "$WORK/log" > "$WORK/$1.time"
}
run 3
run 5
"$DFRUN" plan "$spec" $(step 5) --ranks "$RANKS" --ranks-per-node $PER_NODE --json > "$WORK/plan.json"

# The platform of the simulation: a host for each rank, and two links on each way. No node takes time.
cat > "$WORK/cluster.yaml" <<Y
nodes: $RANKS
cores: 1
memory: 64GiB
ranks_per_node: 1
links:
  core: {latency: 1e-9, bandwidth: 1e15}
  node: {latency: 1e-9, bandwidth: 1e15}
  network: {latency: 2e-6, bandwidth: 12.5e9}
Y
/usr/bin/python3 - > "$WORK/costs.json" <<'P'
import json

families = ('passing', 'product', 'convolution', 'pooling', 'elementwise', 'reduction', 'gather', 'movement', 'random', 'other')
print(json.dumps({'written_by': 'dfrun', 'form': 1, 'host': 'h', 'processor': 'p', 'threads': 1, 'measured': [], 'pairs': [],
                  'executor': {'node_s': 1e-15, 'edge_s': 1e-15},
                  'families': [{'device': 'cpu', 'family': family, 'overhead_s': 1e-15, 'flops_per_s': 1e30, 'bytes_per_s': 1e30}
                               for family in families]}))
P
"$DFRUN" plan "$spec" $(step 5) --ranks "$RANKS" --cluster "$WORK/cluster.yaml" --cost-file "$WORK/costs.json" --json \
  > "$WORK/timed.json"

/usr/bin/python3 - "$WORK" $PER_NODE "$RANKS" <<'P' || fail "the plan of $RANKS ranks"
import collections
import json
import pathlib
import sys

work, per_node, ranks = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])


def sent(steps):
    """The numbers of messages by sender, receiver, tag and bytes."""
    counts = collections.Counter()
    for path in (work / f'{steps}.calls').iterdir():
        with open(path, encoding='utf-8') as lines:
            for word in map(str.split, lines):
                if word[1] == 'isend':
                    counts[int(word[0]), int(word[2]), int(word[3]), int(word[4])] += 1
    return counts


few, more = sent(3), sent(5)
of_step = {message: (more[message] - few[message]) / 2 for message in more}
# Requests go to other ranks, and an answer to each comes back. Both have tag 0, which one message of the step has too.
requests = {(source, to, tag, size): min(times, of_step.get((to, source, tag, size), 0))
            for (source, to, tag, size), times in of_step.items() if tag == 0}
for message, times in requests.items():
    of_step[message] -= times
counted = collections.defaultdict(lambda: {'messages': 0, 'bytes': 0})
for (source, to, _, size), times in of_step.items():
    if times == 0:
        continue
    link = counted['same_host' if source // per_node == to // per_node else 'network']
    link['messages'] += times
    link['bytes'] += times * size
planned = json.load(open(work / 'plan.json'))['links']
assert counted == planned, (dict(counted), planned)

forecast = json.load(open(work / 'timed.json'))['cost']
few_s, more_s = (float((work / f'{steps}.time').read_text()) for steps in (3, 5))
step_s = (more_s - few_s) / 2
print(f'the step of {ranks} ranks: {1e6 * forecast:.1f} us by the plan, {1e6 * step_s:.1f} by SMPI')
assert abs(forecast / step_s - 1) < 0.2
P
echo "a plan of $RANKS ranks has the messages and bytes that SMPI counts"
