# Shared by the tests of ranks that are lost and of steps that do not go on; after signals.sh.

# A training of two ranks that talk in every step and save now and then.
training_spec() {
  cat <<'YAML'
dfrun: 1
graph:
  w: {op: Variable, shape: [8], init: ones, device: "/job:worker/task:1"}
  loss: Sum(w * w)
train: {loss: loss, optimizer: sgd, learning_rate: 0.000001, steps: 100000000, log_every: 1000}
checkpoint: {every: 2000}
YAML
}

ranks_left() {  # the processes of dfrun that were started here, but for those that wait to be reaped
  local pid
  for pid in $(pgrep -x dfrun || true); do
    [ "$(readlink "/proc/$pid/cwd" || true)" != "$WORK" ] || echo "$pid"
  done
}

no_process_left() {  # within 15 s
  local left
  for _ in $(seq 150); do
    left=$(ranks_left)
    [ -n "$left" ] || return 0
    sleep 0.1
  done
  # shellcheck disable=SC2086  # each is a process
  ps -o pid,stat,args -p $left >&2 || true
  fail "processes are left: $left"
}
