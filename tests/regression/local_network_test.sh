#!/usr/bin/env bash
# Ranks of one host listen on no interface where the scripts start them; segments in shared memory that a killed mpirun
# leaves are removed, those of others are not.
#   local_network_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"
source "$SOURCE/tests/regression/signals.sh"
source "$SOURCE/tests/regression/ports.sh"

# What scripts/quickstart gives to mpirun, and not what the tests' own environment says.
unset OMPI_MCA_btl OMPI_MCA_oob_tcp_if_include
options=$(sed -n "s/.*MPIRUN+=(\(--mca btl .*\))/\1/p" "$SOURCE/scripts/quickstart" | tr -d "'")
[ -n "$options" ] || fail "scripts/quickstart does not say which way ranks of one host talk"
cat > job.yaml <<'YAML'
dfrun: 1
graph:
  w: {op: Variable, shape: [8], init: ones}
  loss: Sum(w * w)
train: {loss: loss, optimizer: sgd, learning_rate: 0.000001, steps: 100000000, log_every: 1000}
YAML
start_job() {  # start_job RUN
  # shellcheck disable=SC2086  # each option is a word
  start mpirun --oversubscribe $options --report-uri "$WORK/$1.uri" -np 2 "$DFRUN" job.yaml --output "$1"
  until_running "$1"
}

start_job open
for rank in 0 1; do
  if listens "$(pid_of_rank "$rank")"; then fail "rank $rank listens on the network"; fi
done

segments() {  # segments RUN: of its ranks
  find /dev/shm -maxdepth 1 -name "vader_segment.*.$(printf '%x' $(($(cut -d. -f1 "$1.uri") + 1))).*"
}
[ "$(segments open | wc -l)" = 2 ] || fail "the ranks have no segments in /dev/shm: $(ls /dev/shm)"
"$SOURCE/scripts/clean-shm" "$WORK/open.uri"
[ "$(segments open | wc -l)" = 2 ] || fail "a segment in use was removed"

# Everything is killed at once: nobody removes them.
first=$job ranks=$(pgrep -P "$job")
start_job other
# shellcheck disable=SC2086  # each process is a word
kill -KILL "$first" $ranks
sleep 0.5
[ "$(segments open | wc -l)" = 2 ] || fail "the killed job left no segments"
"$SOURCE/scripts/clean-shm" "$WORK/open.uri" > removed
[ "$(wc -l < removed)" = 2 ] || fail "not both are named: $(cat removed)"
[ -z "$(segments open)" ] || fail "segments are left: $(segments open)"
[ "$(segments other | wc -l)" = 2 ] || fail "segments of another job were removed"
signal USR1 "$job"
ends_with 138
[ -z "$(segments other)" ] || fail "a job that ends in order leaves segments"
echo "ranks of one host listen nowhere; what a killed job leaves is removed"
