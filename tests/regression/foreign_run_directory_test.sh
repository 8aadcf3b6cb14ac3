#!/usr/bin/env bash
# A run directory that a stranger prepared writes no file of the user's elsewhere: links under the names that a run
# writes are not followed, and what stands under its temporaries' names stays.
#   foreign_run_directory_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

cat > count.yaml <<'Y'
dfrun: 1
name: count
params: {steps: 4}
graph:
  count: {op: Variable, shape: [], init: 0, dtype: int64}
  next:  AssignAdd(count, 1)
  file:  {op: Const, value: "'text.txt'", dtype: string}
  text:  {op: Const, value: "'new'", dtype: string}
  write: WriteFile(file, text)
run: {steps: "${steps}", fetch: {count: next}, targets: [write]}
checkpoint: {every: 2, keep: 0}
Y
expect 0 "step 4/4" "$DFRUN" count.yaml --allow-paths . --output base
rm text.txt
echo mine > mine

# Temporaries: the job goes on beside what stands there.
for kind in link dangling pipe directory file; do
  rm -rf run text.txt text.txt.tmp
  cp -r base run
  echo '{"step": 9, "wall_s": 1}' >> run/metrics.jsonl  # so that it is cut back
  for name in run/metrics.jsonl run/checkpoints/LATEST run/run.json run/fetches.h5 text.txt; do
    case $kind in
      link) ln -s "$WORK/mine" $name.tmp ;;
      dangling) ln -s "$WORK/nowhere" $name.tmp ;;
      pipe) mkfifo $name.tmp ;;
      directory) mkdir $name.tmp ;;
      file) echo kept > $name.tmp ;;
    esac
  done
  expect 0 "step 6/6" "$DFRUN" count.yaml --allow-paths . --output run --resume --set steps=6
  [ "$(cat mine)" = mine ] || fail "a link was followed: $kind"
  [ ! -e nowhere ] || fail "a dangling link was followed"
  for name in run/metrics.jsonl run/checkpoints/LATEST run/run.json run/fetches.h5 text.txt; do
    [ -e $name.tmp ] || [ -L $name.tmp ] || fail "$name.tmp is gone: $kind"
    [ -s $name ] || fail "$name was not written: $kind"
    [ ! -e $name.tmp-1 ] || fail "$name.tmp-1 is left: $kind"
  done
  if [ $kind = file ]; then grep -q kept run/metrics.jsonl.tmp || fail "a file was overwritten"; fi
  [ "$(cat text.txt)" = new ] || fail "WriteFile wrote something else"
  [ "$(wc -l < run/metrics.jsonl)" = 6 ] || fail "metrics.jsonl has not a line a step"
done

# The names themselves: refused with what stands there, and it stays.
rm -rf text.txt text.txt.tmp
for name in metrics.jsonl run.json fetches.h5 .lock; do
  for target in "$WORK/mine" "$WORK/nowhere"; do
    rm -rf run
    cp -r base run
    rm -f run/$name
    ln -s "$target" run/$name
    expect 74 "a link stands there" "$DFRUN" count.yaml --allow-paths . --output run --resume --set steps=6
    [ -L run/$name ] && [ "$(cat mine)" = mine ] && [ ! -e nowhere ] || fail "the link $name was followed or removed"
  done
  rm run/$name
  mkfifo run/$name
  expect 74 "a pipe stands there" "$DFRUN" count.yaml --allow-paths . --output run --resume --set steps=6
done
ln -s "$WORK/mine" text.txt
expect 74 "a link stands there" "$DFRUN" count.yaml --allow-paths . --output other
[ "$(cat mine)" = mine ] && [ -L text.txt ] || fail "WriteFile followed or removed a link"
rm text.txt
mkfifo text.txt
expect 74 "a pipe stands there" "$DFRUN" count.yaml --allow-paths . --output another
echo "nothing outside the run directory was written"
