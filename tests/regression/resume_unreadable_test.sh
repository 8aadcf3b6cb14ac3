#!/usr/bin/env bash
# Checkpoints that cannot be read are no missing checkpoints: --resume ends with 74 and changes nothing, whether the
# directory, a step's directory or a file is not readable or the disk gives an error at any call.
#   resume_unreadable_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

cat > count.yaml <<'Y'
dfrun: 1
name: count
params: {steps: 4}
graph:
  count: {op: Variable, shape: [], init: 0, dtype: int64}
  next:  AssignAdd(count, 1)
run: {steps: "${steps}", fetch: {count: next}}
checkpoint: {every: 2, keep: 0}
Y
expect 0 "step 4/4" "$DFRUN" count.yaml --output run
state run > before

# As a user whom permissions hold for.
user=()
if [ "$(id -u)" = 0 ]; then
  user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  chown -R 65534:65534 "$WORK"
fi
for closed in run/checkpoints run/checkpoints/step-4 run/checkpoints/step-4/manifest.json \
    run/checkpoints/step-4/shard-0.h5; do
  mode=$(stat -c %a $closed)
  chmod 000 $closed
  expect 74 "Permission denied" "${user[@]}" "$DFRUN" count.yaml --output run --resume --set steps=6
  chmod "$mode" $closed
  state run > after
  cmp before after || fail "$closed not readable: the run directory was changed"
done

mv run/checkpoints kept
echo "a file" > run/checkpoints
expect 74 "cannot list run/checkpoints: Not a directory" "$DFRUN" count.yaml --output run --resume --set steps=6
rm run/checkpoints
ln -s checkpoints run/checkpoints
expect 74 "Too many levels of symbolic links" "$DFRUN" count.yaml --output run --resume --set steps=6
rm run/checkpoints
mv kept run/checkpoints

# Calls on what lies below run/checkpoints fail: the one whose number FAIL_AT gives.
cat > failing.c <<'C'
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
static int watched(const char* path) { return strstr(path, "run/checkpoints") != NULL; }
static int watched_fd(int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, path, sizeof path - 1);
  if (n < 0) return 0;
  path[n] = 0;
  return watched(path);
}
static int fails(void) {
  static int calls = 0;
  if (calls++ != atoi(getenv("FAIL_AT"))) return 0;
  FILE* note = fopen(getenv("FAILED_FILE"), "w");
  if (note != NULL) fclose(note);
  errno = EIO;
  return 1;
}
#define NEXT(name) dlsym(RTLD_NEXT, name)
static int open_any(const char* name, const char* path, int flags, int mode) {
  if (watched(path) && fails()) return -1;
  return ((int (*)(const char*, int, ...))NEXT(name))(path, flags, mode);
}
int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  int mode = flags & O_CREAT ? va_arg(more, int) : 0;
  va_end(more);
  return open_any("open", path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  int mode = flags & O_CREAT ? va_arg(more, int) : 0;
  va_end(more);
  return open_any("open64", path, flags, mode);
}
DIR* opendir(const char* path) {
  return watched(path) && fails() ? NULL : ((DIR * (*)(const char*)) NEXT("opendir"))(path);
}
struct dirent* readdir(DIR* d) {
  return watched_fd(dirfd(d)) && fails() ? NULL : ((struct dirent * (*)(DIR*)) NEXT("readdir"))(d);
}
int lstat(const char* path, struct stat* s) {
  return watched(path) && fails() ? -1 : ((int (*)(const char*, struct stat*))NEXT("lstat"))(path, s);
}
ssize_t pread(int fd, void* to, size_t n, off_t at) {
  return watched_fd(fd) && fails() ? -1 : ((ssize_t(*)(int, void*, size_t, off_t))NEXT("pread"))(fd, to, n, at);
}
C
"${CC:-cc}" -shared -fPIC -o failing.so failing.c -ldl
state run > before
for at in $(seq 0 100); do
  rm -f failed
  code=0
  timeout 60 env LD_PRELOAD="$WORK/failing.so" FAIL_AT="$at" FAILED_FILE="$WORK/failed" \
    "$DFRUN" count.yaml --output run --resume > out 2>&1 || code=$?
  [ -e failed ] || break
  [ "$code" = 74 ] || { cat out; fail "call $at: exit code $code, not 74"; }
  state run > after
  cmp before after || fail "call $at failed: the run directory was changed"
done
[ ! -e failed ] && [ "$at" -ge 8 ] || fail "the last of $at calls was not reached, or there were too few"
[ "$code" = 0 ] || { cat out; fail "without an error: exit code $code"; }

# Nothing is made where a job cannot begin.
expect 65 "" "$DFRUN" count.yaml --output fresh --resume --set nothing=1
expect 74 "run/metrics.jsonl/below: Not a directory" "$DFRUN" count.yaml --output run/metrics.jsonl/below
[ ! -e fresh ] || fail "a job that could not begin made its directory"
expect 0 "step 6/6" "$DFRUN" count.yaml --output run --resume --set steps=6
echo "$at failing calls: nothing was changed"
