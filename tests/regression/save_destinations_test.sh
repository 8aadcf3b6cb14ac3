#!/usr/bin/env bash
# Saves, merges and files under names where something stands that is not dfrun's: each is refused or goes beside it, and
# nothing that was there is changed, all as a user without privileges. And --out, --stats and --json.
#
#   save_destinations_test.sh SOURCE DFRUN
SOURCE=$1
DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

# As nobody where this is root; devices and files of another user are root's then.
if [ "$(id -u)" = 0 ]; then
  chmod 755 "$WORK"
  mkdir "$WORK/in"
  chown nobody "$WORK/in"
  as_user() { setpriv --reuid=nobody --regid=nogroup --clear-groups env HOME=/nonexistent "$@"; }
  if ! as_user test -r "$DFRUN"; then
    echo "the program cannot be read by another user: left out as one"
    as_user() { "$@"; }
  fi
else
  mkdir "$WORK/in"
  as_user() { "$@"; }
fi
cd "$WORK/in"

# graph OP PATH: nodes that save two tensors, or merge, or write a file, under this path.
graph() {
  cat <<EOT
node { name: "path" op: "Const" attr { key: "dtype" value { type: DT_STRING } }
  attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape {} string_val: "$2" } } } }
node { name: "part" op: "Const" attr { key: "dtype" value { type: DT_STRING } }
  attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape { dim { size: 1 } } string_val: "$WORK/in/part" } } } }
node { name: "names" op: "Const" attr { key: "dtype" value { type: DT_STRING } }
  attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape { dim { size: 1 } } string_val: "w" } } } }
node { name: "all" op: "Const" attr { key: "dtype" value { type: DT_STRING } }
  attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape { dim { size: 1 } } string_val: "" } } } }
node { name: "w" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 3 } } float_val: 1.5 } } } }
EOT
  case $1 in
    Save) echo 'node { name: "do" op: "Save" input: "path" input: "names" input: "w"
                attr { key: "T" value { list { type: DT_FLOAT } } } }' ;;
    SaveV2) echo 'node { name: "do" op: "SaveV2" input: "path" input: "names" input: "all" input: "w"
                  attr { key: "dtypes" value { list { type: DT_FLOAT } } } }' ;;
    Merge) echo 'node { name: "do" op: "MergeV2Checkpoints" input: "part" input: "path"
                 attr { key: "delete_old_dirs" value { b: true } } attr { key: "allow_missing_files" value { b: true } } }' ;;
    WriteFile) echo 'node { name: "do" op: "WriteFile" input: "path" input: "path" }' ;;
  esac
}

# run OP PATH: the exit code; what was said is in $WORK/out.
run() {
  graph "$1" "$2" > "$WORK/graph.pbtxt"
  local code=0
  as_user timeout 60 "$DFRUN" eval "$WORK/graph.pbtxt" --target do > "$WORK/out" 2>&1 || code=$?
  echo "$code"
}

# Every path with kind, mode, owner, inode, where links lead, and the bytes of files.
listing() {
  find "$WORK/in" -mindepth 1 -printf '%p %y %m %U %i %l\n' | sort
  find "$WORK/in" -type f -readable -exec sha256sum {} + | sort
}

base=$WORK/in
as_user mkdir "$base/work" "$base/empty" "$base/readonly" "$base/deep"
as_user sh -c "echo notes > $base/file; echo notes > $base/work/notes; mkfifo $base/pipe
  ln -s $base/file $base/link; ln -s $base/work $base/dirlink; ln -s $base/none $base/dangling
  echo keep > $base/readonly/keep; chmod 555 $base/readonly; echo keep > $base/locked; chmod 444 $base/locked"
for name in extra linked damaged part model; do [ "$(run SaveV2 "$base/$name")" = 0 ] || fail "cannot save $name"; done
as_user sh -c "echo notes > $base/extra/notes; mv $base/linked/shard-0.h5 $base/elsewhere.h5
  ln -s $base/elsewhere.h5 $base/linked/shard-0.h5; echo half > $base/damaged/manifest.json"
as_user cp -r "$base/model" "$base/readonly_model"
as_user chmod 555 "$base/readonly_model"
as_user /usr/bin/env python3 -c "import socket; socket.socket(socket.AF_UNIX).bind('$base/socket')" 2>/dev/null || true
if [ "$(id -u)" = 0 ]; then
  cp -r "$base/model" "$base/roots_model"
  chmod 777 "$base/roots_model"
  chmod 666 "$base"/roots_model/*
  echo roots > "$base/roots_file"
  mkdir "$base/roots_directory"
  mknod "$base/device" c 1 3 2>/dev/null || true
fi
# A rename can replace a file of another user, so that nothing but dfrun keeps it.
listing > "$WORK/before"
destinations=(file file/ file/below pipe link dirlink dirlink/ dangling dangling/ work work/ empty extra linked damaged
              readonly readonly/new locked readonly_model model/inner . .. work/. work/..)
for name in socket roots_model roots_file roots_directory device; do
  if [ -e "$base/$name" ] || [ -S "$base/$name" ]; then destinations+=("$name"); fi
done
[ ${#destinations[@]} -ge 20 ] || fail "only ${#destinations[@]} kinds of destinations"
refused() {  # refused OP PATH
  local code
  code=$(run "$1" "$2")
  if [ "$code" = 0 ]; then cat "$WORK/out" >&2; fail "$1 to $2 went through"; fi
  if [ "$code" -gt 76 ]; then cat "$WORK/out" >&2; fail "$1 to $2 ended with $code"; fi
  listing > "$WORK/after"
  diff "$WORK/before" "$WORK/after" >&2 || fail "$1 to $2 changed what was there"
}
for name in "${destinations[@]}"; do
  # As root, without another user to be, permissions keep nothing.
  if [ "$(id -u)" = 0 ] && as_user test -w "$base/readonly"; then
    case $name in readonly*|locked) continue ;; esac
  fi
  for op in SaveV2 Merge WriteFile; do
    # A regular file is what WriteFile replaces, one in a directory too.
    case $op:$name in WriteFile:file|WriteFile:model/inner|WriteFile:roots_file) continue ;; esac
    refused "$op" "$base/$name"
  done
done
for name in work link extra; do refused Save "$base/$name"; done

# What is a checkpoint is replaced, what stands beside it is not touched.
as_user cp -r "$base/model" "$base/model.old"
as_user mkdir "$base/model.tmp"
as_user cp "$base/file" "$base/model.tmp/notes"
listing | grep -v "$base/model[ /]" | grep -v " $base/model$" > "$WORK/before"
for op in Save SaveV2; do [ "$(run $op "$base/model")" = 0 ] || fail "$op does not replace a checkpoint"; done
[ "$(run SaveV2 "$base/new/deeper/model/")" = 0 ] || fail "directories are not made"
[ -f "$base/new/deeper/model/manifest.json" ] || fail "nothing is saved under a name with a slash at its end"
as_user rm -r "$base/new"
listing | grep -v "$base/model[ /]" | grep -v " $base/model$" > "$WORK/after"
diff "$WORK/before" "$WORK/after" >&2 || fail "a save touched its neighbours"

# A part with a user's file is merged and stays, with one warning.
as_user sh -c "echo notes > $base/part/notes"
[ "$(run Merge "$base/merged")" = 0 ] || fail "cannot merge"
[ -f "$base/part/notes" ] && [ -f "$base/part/manifest.json" ] || fail "a part with a user's file is gone"
[ "$(grep -c warning "$WORK/out")" = 1 ] || { cat "$WORK/out" >&2; fail "not one warning"; }
echo "${#destinations[@]} destinations are unharmed"
