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

# Heavy kernels on each of so many ranks, in steps without end.
heavy_spec() {  # heavy_spec RANKS
  local rank layer last sum=
  printf 'dfrun: 1\ngraph:\n  w: {op: Fill, inputs: ["[512, 512]", 0.001]}\n'
  for rank in $(seq 0 $(($1 - 1))); do
    last=w
    for layer in 1 2 3 4; do
      printf '  p%d_%d: {op: MatMul, inputs: [%s, w], device: "/job:worker/task:%d"}\n' "$rank" "$layer" "$last" "$rank"
      last=p${rank}_$layer
    done
    printf '  s%d: {op: Identity, inputs: ["Sum(%s)"], device: "/job:worker/task:%d"}\n' "$rank" "$last" "$rank"
    sum="$sum + s$rank"
  done
  printf '  total: %s\nrun: {fetch: [total], steps: 100000000}\n' "${sum# + }"
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
