#!/usr/bin/env bash
# What a stranger's graph may write: none of the user's files is replaced, moved or put beside dfrun's own, by any op that
# writes; what the run itself wrote is replaced, also after a kill.
#
#   op_writes_test.sh SOURCE DFRUN
SOURCE=$1
DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

# As nobody where this is root, in a folder of its own.
as_user() { "$@"; }
mkdir "$WORK/in"
if [ "$(id -u)" = 0 ]; then
  chmod 755 "$WORK"
  chown nobody "$WORK/in"
  as_user() { setpriv --reuid=nobody --regid=nogroup --clear-groups env HOME=/nonexistent "$@"; }
  if ! as_user test -r "$DFRUN"; then
    echo "the program cannot be read by another user: left out as one"
    as_user() { "$@"; }
  fi
fi
cd "$WORK/in"
base=$WORK/in

text() {  # text NAME VALUE [SHAPE]
  echo "node { name: '$1' op: 'Const' attr { key: 'dtype' value { type: DT_STRING } } attr { key: 'value'
    value { tensor { dtype: DT_STRING tensor_shape { $3 } string_val: '$2' } } } }"
}
# graph OP PATH [PART]: the node `do`, which writes under this path.
graph() {
  text path "$2" ""
  text part "${3:-$base/none}" "dim { size: 1 }"
  text names w "dim { size: 1 }"
  text all "" "dim { size: 1 }"
  echo "node { name: 'w' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } }
    attr { key: 'value' value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 1.5 } } } }"
  case $1 in
    WriteFile) echo "node { name: 'do' op: 'WriteFile' input: 'path' input: 'path' }" ;;
    PrintV2) echo "node { name: 'do' op: 'PrintV2' input: 'path' attr { key: 'output_stream' value { s: 'file://$2' } } }" ;;
    Save) echo "node { name: 'do' op: 'Save' input: ['path', 'names', 'w'] attr { key: 'T' value { list { type: DT_FLOAT } } } }" ;;
    SaveV2) echo "node { name: 'do' op: 'SaveV2' input: ['path', 'names', 'all', 'w']
                  attr { key: 'dtypes' value { list { type: DT_FLOAT } } } }" ;;
    Merge) echo "node { name: 'do' op: 'MergeV2Checkpoints' input: ['part', 'path'] attr { key: 'delete_old_dirs' value { b: true } } }" ;;
    SaveShard) echo "node { name: 'do' op: 'SaveShard' input: ['path', 'w'] attr { key: 'T' value { list { type: DT_FLOAT } } }
                     attr { key: 'names' value { list { s: 'w' } } } attr { key: 'file' value { s: 'shard-7.h5' } } }" ;;
  esac
}
eval_op() {  # eval_op OP PATH PART FLAGS...
  graph "$1" "$2" "$3" > "$WORK/graph.pbtxt"
  shift 3
  as_user timeout 60 "$DFRUN" eval "$WORK/graph.pbtxt" --target do "$@" > "$WORK/out" 2>&1
}
listing() {
  find "$base" -mindepth 1 -printf '%p %y %m %U %i %l\n' | sort
  find "$base" -type f -exec sha256sum {} + | sort
}
unchanged() {
  listing > "$WORK/after"
  diff "$WORK/before" "$WORK/after" >&2 || { cat "$WORK/out" >&2; fail "$* changed what was there"; }
}
refused() {  # refused OP PATH [TEXT]
  if eval_op "$1" "$2" "$base/saved"; then cat "$WORK/out" >&2; fail "$1 to $2 went through"; fi
  grep -qF -- "${3-may not}" "$WORK/out" || { cat "$WORK/out" >&2; fail "$1 to $2: no '${3-may not}'"; }
  unchanged "$1 to $2"
}

# A run of the user's, with checkpoints, a Saver's checkpoint, a copy of the run's, and files of all kinds.
cat > "$WORK/count.yaml" <<'Y'
dfrun: 1
name: count
params: {steps: 4}
graph:
  count: {op: Variable, shape: [], init: 0, dtype: int64}
  next:  AssignAdd(count, 1)
run: {steps: "${steps}", fetch: {count: next}}
checkpoint: {every: 2, keep: 0}
Y
chmod 644 "$WORK/count.yaml"
as_user timeout 60 "$DFRUN" "$WORK/count.yaml" --output "$base/run" > "$WORK/out" 2>&1 || { cat "$WORK/out"; fail "no run"; }
eval_op SaveV2 "$base/saved" "" || { cat "$WORK/out"; fail "no Saver's checkpoint"; }
as_user sh -c "mkdir $base/.git $base/src; for f in .git/config .bashrc src/main.c Makefile data.csv run/notes; do echo mine > $base/\$f; done
  cp -r $base/run/checkpoints/step-2 $base/best; ln -s $base/.git $base/to_git; ln -s src/main.c $base/to_main"
listing > "$WORK/before"
files=(.git/config .git/hooks/post-commit .bashrc .new src/main.c src/.new Makefile data.csv to_git/config to_main run/run.json
       run/run-7.json run/metrics.jsonl run/.lock run/fetches.h5 run/notes run/written-0.txt run/checkpoints/LATEST
       run/checkpoints/step-2/manifest.json run/checkpoints/step-2/shard-0.h5 run/checkpoints/step-9/manifest.json
       best/manifest.json saved/shard-0.h5)
[ ${#files[@]} -ge 20 ] || fail "only ${#files[@]} destinations"
for name in "${files[@]}"; do
  case $name in to_main) refused WriteFile "$base/$name" "" ;; *) refused WriteFile "$base/$name" ;; esac
  refused PrintV2 "$base/$name"
done
for op in Save SaveV2 Merge; do
  for name in .git/saved .saved run/checkpoints/step-2 run/checkpoints/step-9 run/checkpoints/step-4/in best; do
    refused $op "$base/$name"
  done
done
for name in run/checkpoints/step-2 run/checkpoints/step-9 .git; do refused SaveShard "$base/$name"; done
for part in run/checkpoints/step-2 best saved; do  # merged, and where it was
  eval_op Merge "$base/merged" "$base/$part" || { cat "$WORK/out"; fail "cannot merge $part"; }
  grep -q "was there before the job and is not removed" "$WORK/out" || { cat "$WORK/out"; fail "$part: not said"; }
  rm -r "$base/merged"
  unchanged "a merge of $part"
done
# The flag of the user's lets it, but for what dfrun keeps and names with a dot.
for name in .git/config run/checkpoints/step-2/manifest.json run/metrics.jsonl; do
  if eval_op WriteFile "$base/$name" "" --force; then fail "--force let $name"; fi
  unchanged "--force of $name"
done
eval_op WriteFile "$base/data.csv" "" --force || { cat "$WORK/out"; fail "--force does not let it"; }
eval_op WriteFile "$base/.git/new" "" --allow-paths "$base/.git" || { cat "$WORK/out"; fail "a root of the user's own words"; }
eval_op SaveV2 "$base/saved" "" || { cat "$WORK/out"; fail "a Saver does not replace a Saver's checkpoint"; }

# In a run: below its directory alone. A file of the user's in there stays; those that the run wrote are replaced, and
# listed, and a job that resumes it, here after a kill, knows them.
cat > "$WORK/saver.yaml" <<'Y'
dfrun: 1
name: saver
params: {steps: 100000, to: run2}
graph:
  W: {op: Variable, shape: [2], init: 0}
  next: AssignAdd(W, [1.0, 1.0])
  save: {op: SaveV2, inputs: ["'${to}/model/part'", "['W']", "['']", next]}
  merge: {op: MergeV2Checkpoints, inputs: ["['${to}/model/part']", "'${to}/model/ckpt'"], control: [^save]}
  write: WriteFile('${to}/out.txt', AsString(Sum(next)))
  print: {op: PrintV2, inputs: ["AsString(Sum(next))"], output_stream: "file://${to}/log.txt"}
run: {steps: "${steps}", targets: [merge, write, print]}
checkpoint: {every: 2}
Y
chmod 644 "$WORK/saver.yaml"
# Kills the program that the shell $pid has started in the background.
end_job() {
  kill -9 $(pgrep -P $pid) $pid 2> /dev/null || true
  wait $pid 2> /dev/null || true
}
job() { as_user timeout 60 "$DFRUN" "$WORK/saver.yaml" "$@" > "$WORK/out" 2>&1; }
listing > "$WORK/before"
for to in . src /tmp; do
  if job --output "$base/run3" --set steps=1 --set to=$to; then fail "a run wrote to $to"; fi
  grep -qF -- "--allow-paths" "$WORK/out" || { cat "$WORK/out" >&2; fail "no way out"; }
  rm -rf "$base/run3"
  unchanged "a run that writes to $to"
done
as_user "$DFRUN" "$WORK/saver.yaml" --output run2 > "$WORK/out" 2>&1 &
pid=$!
merged=no
for ((i = 0; i < 300; ++i)); do
  if [ -f run2/model/ckpt/manifest.json ] && [ ! -e run2/model/part/manifest.json ]; then merged=yes; fi
  [ "$(cat run2/checkpoints/LATEST 2> /dev/null || true)" != "" ] && [ "$(wc -l < run2/log.txt)" -ge 4 ] &&
    [ $merged = yes ] && break
  sleep 0.1
done
end_job  # in the middle of a step, perhaps
[ $merged = yes ] || fail "nothing was merged"
for name in out.txt log.txt; do grep -qx "$name" run2/written-0.txt || fail "$name is not listed"; done
before=$(cat run2/out.txt)
steps=$(($(sed 's/step-//' run2/checkpoints/LATEST) + 10))
job --output run2 --resume --set steps=$steps || { cat "$WORK/out" >&2; fail "the killed run does not go on"; }
[ "$(cat run2/out.txt)" != "$before" ] || fail "the file was not replaced"
as_user sh -c "mkdir run4; echo mine > run4/out.txt"
if job --output run4 --set steps=1 --set to=run4; then fail "a file of the user's in the run directory was replaced"; fi
[ "$(cat run4/out.txt)" = mine ] || fail "out.txt was changed"
grep -q "before the job" "$WORK/out" || { cat "$WORK/out" >&2; fail "no reason"; }
job --output run4 --set steps=1 --set to=run4 --force || { cat "$WORK/out" >&2; fail "--force does not let it"; }

# TensorFlow's own Saver, sharded, in `eval`: saves twice, is killed in the midst of many saves, and saves again.
mkdir "$base/tf"
[ "$(id -u)" != 0 ] || chown nobody "$base/tf"
cd "$base/tf"
cp "$SOURCE/tests/golden/eval/saver.pb" "$WORK/saver.pb"
chmod 644 "$WORK/saver.pb"
save() { as_user timeout 60 "$DFRUN" eval "$WORK/saver.pb" --init init --target step --finally save_all > "$WORK/out" 2>&1; }
for i in 1 2; do save || { cat "$WORK/out" >&2; fail "save $i"; }; done
as_user "$DFRUN" eval "$WORK/saver.pb" --init init --target save_all --repeat 1000000 > "$WORK/out" 2>&1 &
pid=$!
first=$(stat -c %i model)
for ((i = 0; i < 100; ++i)); do
  [ "$(stat -c %i model 2> /dev/null || echo "$first")" != "$first" ] && break
  sleep 0.1
done
end_job
save || { cat "$WORK/out" >&2; fail "a killed Saver does not save again"; }
as_user "$DFRUN" eval "$WORK/saver.pb" --init save/restore_all --fetch values > "$WORK/out" 2>&1 || { cat "$WORK/out" >&2; fail "no restore"; }
echo "${#files[@]} destinations are unchanged"
