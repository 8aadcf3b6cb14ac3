// Loaded before the C library: a file system that refuses locks and, as NFS does, renames with flags, or that fails.
//
// REFUSE holds the words `locks` (every kind fails with ENOLCK), `flags` (renameat2 with flags fails with EINVAL) and
// `removal` (nothing below a directory called checkpoints can be removed: EIO).
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

static int Refuses(const char* word) {
  const char* refused = getenv("REFUSE");
  return refused != NULL && strstr(refused, word) != NULL;
}

int flock(int fd, int operation) {
  if (!Refuses("locks")) return (int)syscall(SYS_flock, fd, operation);
  errno = ENOLCK;
  return -1;
}

static int IsLock(int command) {
  return command == F_SETLK || command == F_SETLKW || command == F_GETLK || command == F_OFD_SETLK ||
         command == F_OFD_SETLKW;
}

static int Control(int fd, int command, void* argument) {
  if (!IsLock(command) || !Refuses("locks")) return (int)syscall(SYS_fcntl, fd, command, argument);
  errno = ENOLCK;
  return -1;
}

int fcntl(int fd, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  return Control(fd, command, argument);
}

int fcntl64(int fd, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  return Control(fd, command, argument);
}

int renameat2(int from_directory, const char* from, int to_directory, const char* to, unsigned flags) {
  if (flags == 0 || !Refuses("flags")) {
    return (int)syscall(SYS_renameat2, from_directory, from, to_directory, to, flags);
  }
  errno = EINVAL;
  return -1;
}

static int Keeps(const char* path) {
  if (!Refuses("removal") || strstr(path, "/checkpoints/") == NULL) return 0;
  errno = EIO;
  return 1;
}

int unlink(const char* path) {
  return Keeps(path) ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int rmdir(const char* path) {
  return Keeps(path) ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}
