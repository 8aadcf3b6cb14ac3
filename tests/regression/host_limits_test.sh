#!/usr/bin/env bash
# Limits of a control group: `dfrun info` shows them, threads are as many as the quota has cores, and what is larger than the
# group's memory ends with 74 and the group's name, instead of a kill.
#   host_limits_test.sh SOURCE_DIR DFRUN
# 77: no control group can be made here (tests/unit/base/host/host_limits_test.cc reads such trees of files).
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

folder() {  # folder CONTROLLER: of v1, or the one of v2
  awk -v c="$1" '$3 == "cgroup" && ("," $4 ",") ~ ("," c ",") { print $2; exit }' /proc/mounts
}
v2=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
memory=$(folder memory) cpu=$(folder cpu)
name=dfrun_test_$$
made=()
remove() {
  local at
  for at in "${made[@]}"; do rmdir "$at" 2> /dev/null || true; done
  rm -rf "$WORK"
}
trap remove EXIT
make() {  # make HIERARCHY FILE VALUE...: a group with these settings, 1 where that cannot be
  local at=$1/$name
  shift
  mkdir "$at" 2> /dev/null || return 1
  made+=("$at")
  while [ $# -gt 0 ]; do
    { echo "$2" > "$at/$1"; } 2> /dev/null || return 1
    shift 2
  done
}
if [ -n "$memory" ]; then
  make "$memory" memory.limit_in_bytes 402653184 || { echo "no group can be made in $memory"; exit 77; }
  make "$cpu" cpu.cfs_period_us 100000 cpu.cfs_quota_us 100000 || made=("$memory/$name")
else
  make "$v2" memory.max 402653184 cpu.max '100000 100000' || { echo "no group can be made in ${v2:-/sys/fs/cgroup}"; exit 77; }
fi
# A process of the groups.
cat > within <<'EOF'
#!/bin/bash
for group in $GROUPS_MADE; do echo $$ > "$group/cgroup.procs" || exit 1; done
exec "$@"
EOF
chmod +x within
export GROUPS_MADE="${made[*]}"

expect 0 '384 MiB of ' ./within "$DFRUN" info
if [ "${#made[@]}" = 2 ] || [ -z "$memory" ]; then expect 0 '1 for this process, by the quota of 1 cores' ./within "$DFRUN" info; fi
cat > large.yaml <<'YAML'
dfrun: 1
graph:
  large: "Fill([${mib}, 262144], 1.0)"
  sum: Sum(large * 2.0)
params: {mib: 1024}
run: {steps: 1, fetch: [sum]}
YAML
expect 74 'allows 384 MiB to this process and those of its group' ./within "$DFRUN" large.yaml --output large
expect 0 'sum' ./within "$DFRUN" large.yaml --set mib=16 --output small
echo "the limits of a control group count"
