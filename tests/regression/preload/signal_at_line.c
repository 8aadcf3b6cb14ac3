// Loaded before the C library: a process that has written a text beginning with that of SIGNAL_AT_LINE gets SIGNAL, a
// number, at once, as if someone had sent it just then.
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

ssize_t write(int fd, const void* data, size_t bytes) {
  const ssize_t written = syscall(SYS_write, fd, data, bytes);
  const char* const line = getenv("SIGNAL_AT_LINE");
  const char* const number = getenv("SIGNAL");
  if (line == NULL || number == NULL || bytes < strlen(line) || memcmp(data, line, strlen(line)) != 0) return written;
  raise(atoi(number));
  return written;
}
