// Silences the heartbeats of a rank while the file $SILENT_RANKS/RANK exists. The thread that sends them stays in the
// state that the file's first letter names: R computes, D is a parent whose vfork() has not returned, S sleeps for
// minutes. While it is silent there is a file $SILENT_RANKS/RANK.silent. All other threads go on. The first heartbeats
// are sent, from which other ranks know the thread.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// Returns whether the bytes begin with the head of a heartbeat (comm/heartbeat/frame.h).
static int IsBeat(const void* bytes, size_t size) {
  static const char kTypeVersionMagic[] = {2, 1, 0x66, 0x64};
  return size >= 32 && memcmp((const char*)bytes + 4, kTypeVersionMagic, sizeof kTypeVersionMagic) == 0;
}

// Returns the first letter of the file; 0: it does not exist, or is being written.
static char LetterIn(const char* path) {
  char letter = 0;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  if (read(file, &letter, 1) != 1) letter = 0;
  close(file);
  return letter;
}

static void SleepFor(long s, long ms) {
  const struct timespec nap = {s, ms * 1000 * 1000};
  nanosleep(&nap, NULL);
}

static void ComputeBriefly(void) {
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < 20);
}

// The child takes no signal, since the handlers are the program's, and ends with its parent.
static void WaitInVfork(const char* path) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  if (vfork() == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (access(path, F_OK) == 0) SleepFor(0, 20);
    _exit(0);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void BeSilentAsAsked(void) {
  const char* const folder = getenv("SILENT_RANKS");
  const char* const rank = getenv("OMPI_COMM_WORLD_RANK");
  if (folder == NULL || rank == NULL) return;
  char path[4096], mark[4200];
  snprintf(path, sizeof path, "%s/%s", folder, rank);
  snprintf(mark, sizeof mark, "%s.silent", path);
  const char letter = LetterIn(path);
  if (letter == 0) return;
  close(open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  while (access(path, F_OK) == 0) {
    if (letter == 'R') ComputeBriefly();
    if (letter == 'D') WaitInVfork(path);
    if (letter == 'S') SleepFor(60, 0);  // a thread that wakes now and then would be seen to run
  }
  unlink(mark);
}

ssize_t send(int socket, const void* bytes, size_t size, int flags) {
  enum { kFirstBeats = 20 };
  static int beats = 0;
  static ssize_t (*next)(int, const void*, size_t, int) = NULL;
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "send");
  if (IsBeat(bytes, size) && ++beats > kFirstBeats) BeSilentAsAsked();
  return next(socket, bytes, size, flags);
}
