# Shared by the tests of ports; after signals.sh.

# listens PID: on an address that is not this host's own. A socket that its launcher has given it is the launcher's.
listens() {
  local inode
  for inode in $(find "/proc/$1/fd" -lname 'socket:*' -printf '%l\n' | tr -dc '0-9\n'); do
    ! find "/proc/$(awk '/^PPid/ { print $2 }' "/proc/$1/status")/fd" -lname "socket:\[$inode\]" | grep -q . || continue
    awk -v inode="$inode" '$4 == "0A" && $10 == inode && $2 !~ /^0100007F:/ { found = 1 } END { exit !found }' \
      "/proc/$1/net/tcp" "/proc/$1/net/tcp6" && return 0
  done
  return 1
}

# Ranks of the job that was started last, whatever started them.
processes_of_ranks() {
  local pid
  for pid in $(pgrep -x dfrun); do
    [ "$(readlink "/proc/$pid/cwd" || true)" != "$WORK" ] || echo "$pid"
  done
}

steps_job() {
  cat <<'YAML'
dfrun: 1
graph:
  w: {op: Variable, shape: [8], init: ones, device: "/job:worker/task:1"}
  loss: Sum(w * w)
train: {loss: loss, optimizer: sgd, learning_rate: 0.000001, steps: 100000000, log_every: 100}
YAML
}
