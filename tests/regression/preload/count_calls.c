// Loaded before the C library: notes what a program starts and which HDF5 files it opens.
//
// COUNT names a file, to which this process and its children append "spawn" where one starts a process by
// posix_spawn(), and "open PATH" where one opens a file whose name ends in .h5.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int Open(int directory, const char* path, int flags, mode_t mode) {
  return (int)syscall(SYS_openat, directory, path, flags, mode);
}

static void Note(const char* what, const char* path) {
  const char* log = getenv("COUNT");
  char line[4200];
  if (log == NULL) return;
  const int bytes = snprintf(line, sizeof line, "%s%s\n", what, path);
  const int fd = Open(AT_FDCWD, log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return;
  if (bytes > 0 && write(fd, line, (size_t)bytes) != bytes) abort();
  close(fd);
}

static int NotedOpen(int directory, const char* path, int flags, mode_t mode) {
  const size_t length = strlen(path);
  if (length > 3 && strcmp(path + length - 3, ".h5") == 0) Note("open ", path);
  return Open(directory, path, flags, mode);
}

#define MODE_OF(flags)                          \
  mode_t mode = 0;                              \
  if (((flags) & (O_CREAT | O_TMPFILE)) != 0) { \
    va_list arguments;                          \
    va_start(arguments, flags);                 \
    mode = va_arg(arguments, mode_t);           \
    va_end(arguments);                          \
  }

int open(const char* path, int flags, ...) {
  MODE_OF(flags)
  return NotedOpen(AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  MODE_OF(flags)
  return NotedOpen(AT_FDCWD, path, flags, mode);
}

int openat(int directory, const char* path, int flags, ...) {
  MODE_OF(flags)
  return NotedOpen(directory, path, flags, mode);
}

int openat64(int directory, const char* path, int flags, ...) {
  MODE_OF(flags)
  return NotedOpen(directory, path, flags, mode);
}

int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* files, const posix_spawnattr_t* attributes,
                char* const arguments[], char* const environment[]) {
  typedef int (*Spawn)(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*, char* const[],
                       char* const[]);
  const Spawn spawn = (Spawn)dlsym(RTLD_NEXT, "posix_spawn");
  Note("spawn", "");
  return spawn(pid, path, files, attributes, arguments, environment);
}
