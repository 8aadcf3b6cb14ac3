#!/usr/bin/env bash
# `dfrun bench` becomes the program dfrun-bench beside it: the same process, arguments and environment, under mpirun
# too, in a tree that was moved to a path with a blank, by a link, and in a bundle. Where the program is missing, it
# says so.
#   bench_program_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"
BUILD=$(cd "$(dirname "$DFRUN")/.." && pwd)
quick=(bench dispatch --nodes 1000 --rounds 1)
measures() {  # measures DFRUN
  expect 0 "dispatch/" "$1" "${quick[@]}" --json "$WORK/figures.json" --force
  grep -q '"value"' figures.json || fail "no figures of $1"
}

# The same process, which measures for minutes.
touch input
MARK_OF_TEST=kept "$DFRUN" bench dispatch --nodes 100000 --rounds 10000 < input > out 2>&1 &
job=$!
trap 'kill -KILL $job 2> /dev/null || true; rm -rf "$WORK"' EXIT
for _ in $(seq 600); do
  program=$(readlink "/proc/$job/exe") || fail "it has ended: $(cat out)"
  [ "$(basename "$program")" != dfrun-bench ] || break
  sleep 0.05
done
[ "$program" = "$(readlink -f "$(dirname "$DFRUN")")/dfrun-bench" ] || fail "process $job runs $program"
arguments=$(tr '\0' ' ' < "/proc/$job/cmdline")
[ "$arguments" = "$DFRUN bench dispatch --nodes 100000 --rounds 10000 " ] || fail "its arguments: $arguments"
tr '\0' '\n' < "/proc/$job/environ" | grep -qx MARK_OF_TEST=kept || fail "it has another environment"
[ "$(readlink "/proc/$job/fd/0")" = "$WORK/input" ] || fail "it has another standard input"
kill -KILL "$job"
wait "$job" 2> /dev/null || true
trap 'rm -rf "$WORK"' EXIT

# Help and mistakes are as those of dfrun itself.
expect 0 "Measures a part of dfrun against the limit that this machine sets." "$DFRUN" --help
expect 0 "Usage: dfrun bench [OPTIONS] SUBCOMMAND" "$DFRUN" bench --help
expect 0 "Usage: dfrun bench p2p [OPTIONS]" "$DFRUN" bench p2p --help
expect 64 "dfrun: A subcommand is required" "$DFRUN" bench
expect 64 "did you mean '--rounds'?" "$DFRUN" bench dispatch --round 1
expect 64 "did you mean 'dfrun bench'?" "$DFRUN" bensh
expect 0 "Usage: dfrun bench p2p [OPTIONS]" "$DFRUN-bench" p2p --help
# dfrun has none of the benchmarks.
nm -C "$DFRUN-bench" > names
grep -q 'dfrun::jobs::Benches' names || fail "dfrun-bench has no benchmarks"
nm -C "$DFRUN" > names
! grep -q 'dfrun::jobs::Benches' names || fail "dfrun has the benchmarks too"

measures "$DFRUN"
ranks 2 "$DFRUN" bench null-step --steps 10 --rounds 1 --json ranks.json > out 2>&1 || { cat out; fail "two ranks"; }
grep -q '"value"' ranks.json || fail "no figures of two ranks"

mkdir -p "first/bin" "links"
cp "$DFRUN" "$DFRUN-bench" first/bin/
cp -r "$BUILD/lib" first/lib
mv first "a moved tree"
measures "$WORK/a moved tree/bin/dfrun"
ln -s "$WORK/a moved tree/bin/dfrun" links/dfrun
measures "$WORK/links/dfrun"
PATH=$WORK/links:$PATH measures dfrun
ranks 2 "$WORK/a moved tree/bin/dfrun" bench null-step --steps 10 --rounds 1 > out 2>&1 ||
  { cat out; fail "moved ranks"; }
rm "a moved tree/bin/dfrun-bench"
expect 74 "cannot start '$WORK/a moved tree/bin/dfrun-bench', the program of 'dfrun bench': No such file or directory" \
  "$WORK/a moved tree/bin/dfrun" "${quick[@]}"
expect 0 "dfrun" "$WORK/a moved tree/bin/dfrun" info
touch "a moved tree/bin/dfrun-bench"
expect 74 "the program of 'dfrun bench': Permission denied" "$WORK/links/dfrun" bench --help

"$SOURCE/scripts/bundle" --local --build "$BUILD" "$WORK/a bundle" > out 2>&1 || { cat out; fail "scripts/bundle"; }
mv "a bundle" "another place"
measures "$WORK/another place/bin/dfrun"
