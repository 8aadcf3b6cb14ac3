# shellcheck shell=bash
# How scripts/quickstart and scripts/test build. Sourced by both.
#
# build_targets FOLDER TARGET... [-- NINJA-OPTION...]   builds targets of a configured folder: says beforehand how long
#                            that takes, then how far it is; what compilers print is passed on.
# show_parts FOLDER          prints which parts the build has, and why it lacks others.

# A compiler takes up to this much memory (Eigen's decompositions of complex matrices).
MIB_PER_JOB=1700
# Seconds of one core that a step of weight 1 takes on a server of 2025.
SECONDS_PER_WEIGHT=0.95

# Prints the MiB of memory that this process may use: what is free, or less where a control group (v1 or v2) says so.
memory_mib() {
  local mib path file bytes
  mib=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)
  path=$(awk -F: 'found == 0 && ($1 == 0 || $2 == "memory") { found = 1; print $3 }' /proc/self/cgroup)
  while :; do
    for file in "/sys/fs/cgroup$path/memory.max" "/sys/fs/cgroup/memory$path/memory.limit_in_bytes"; do
      bytes=$(cat "$file" 2>/dev/null || echo max)
      if [ "$bytes" != max ] && [ ${#bytes} -lt 16 ] && [ $((bytes >> 20)) -lt "$mib" ]; then mib=$((bytes >> 20)); fi
    done
    [ -n "$path" ] && [ "$path" != / ] || break
    path=${path%/*}
  done
  echo "$mib"
}

# Prints how many compilers may run at a time: one a core, and no more than there is memory for.
build_jobs() {
  local jobs
  jobs=$(($(memory_mib) / MIB_PER_JOB))
  [ "$jobs" -le "$(nproc)" ] || jobs=$(nproc)
  [ "$jobs" -ge 1 ] || jobs=1
  echo "$jobs"
}

# What a step of ninja costs beside others, told by its command or its line.
STEP_WEIGHT='
  function weight(text) {
    if (text ~ /linalg\/(svd|self_adj|qr)[a-z_]*\.cc/) return 31
    if (text ~ /Compiling cuda|nvcc /) return 23
    if (text ~ /linalg\/(lu|triangular)\.cc|gemm\/(un)?packed_gemm\.cc/) return 20
    if (text ~ /Unity\/|emulated_cuda/) return 3.6
    if (text ~ /_cpu\.cc|\.gch( |$)/) return 2.5
    return text ~ /Building| -c / ? 1.5 : 0.1
  }
  function minutes(seconds) { return seconds < 90 ? int(seconds) " s" : int(seconds / 60 + 0.5) " min" }'

build_targets() {
  local folder=$1 jobs all
  shift
  local targets=() options=()
  while [ $# -gt 0 ] && [ "$1" != -- ]; do targets+=("$1"); shift; done
  [ $# -eq 0 ] || { shift; options=("$@"); }
  jobs=$(build_jobs)
  # Steps that there are, and their weight: those to be done are known when the first has ended.
  all=$(ninja -C "$folder" -t commands "${targets[@]}" | awk "$STEP_WEIGHT"'
    /^ninja: / { next } { ++steps; sum += weight($0) } END { print steps + 0, sum + 0 }')
  NINJA_STATUS='[%f/%t] ' ninja -C "$folder" -j "$jobs" "${options[@]}" "${targets[@]}" |
    awk -v all="$all" -v jobs="$jobs" -v rate=$SECONDS_PER_WEIGHT -v tty="$([ -t 1 ] && echo 1)" "$STEP_WEIGHT"'
      BEGIN { split(all, a, " "); mean = a[1] ? a[2] / a[1] : 1; "date +%s" | getline start; last = start }
      /^ninja: (Entering|no work)/ { next }
      !/^\[[0-9]+\/[0-9]+\] / || /^\[[^]]*\] FAILED/ { if (tty) printf "\r\033[K"; print; fflush(); next }
      {
        split(substr($1, 2), step, /[\/\]]/)
        if (step[2] <= 2) next
        done += weight($0)
        total = step[2] >= a[1] - 10 ? a[2] : step[2] * mean
        if (total < done + (step[2] - step[1]) * 0.3) total = done + (step[2] - step[1]) * mean
        if (!told && step[2] > 40 && (told = 1))
          print "This takes about " minutes(total * rate / jobs) " with " jobs " compilers at a time."
        close("date +%s"); "date +%s" | getline now
        if (now - last < (tty ? 1 : 30)) next
        last = now
        left = done > 0.15 * total ? (now - start) * (total - done) / done : (total - done) * rate / jobs
        text = sprintf("%3d %%, step %d of %d, about %s left", 100 * done / total, step[1], step[2], minutes(left))
        if (tty) printf "\r\033[K%s", text; else print text
        fflush()
      }
      END { if (tty) printf "\r\033[K" }'
}

show_parts() {
  sed 's/^/  /' "$1/parts.txt"
}
