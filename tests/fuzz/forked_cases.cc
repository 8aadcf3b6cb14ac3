#include "tests/fuzz/forked_cases.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>

#include "src/base/status.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DFRUN_FUZZ_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define DFRUN_FUZZ_SANITIZED 1
#endif
#endif

namespace dfrun::fuzz {
namespace {

constexpr unsigned kMaxSecondsACase = 20;

void BoundMemory() {
#ifndef DFRUN_FUZZ_SANITIZED
  // Limit of the process, since kernels also allocate from the heap
  constexpr rlim_t kMaxMemoryBytes = rlim_t{3} << 30;
  const rlimit limit{kMaxMemoryBytes, kMaxMemoryBytes};
  setrlimit(RLIMIT_AS, &limit);
#endif
}

// `at`, seen by both processes, is the case that the child is at. Returns the child's wait status.
int RunChild(const ForkedCases& cases, std::atomic<int64_t>& at) {
  std::fflush(nullptr);
  const pid_t child = fork();
  DF_CHECK(child >= 0);
  if (child == 0) {
    BoundMemory();
    for (; at < cases.first + cases.count; ++at) {
      alarm(kMaxSecondsACase);
      cases.run(at);
    }
    std::fflush(nullptr);
    _exit(0);
  }
  int status = 0;
  DF_CHECK(waitpid(child, &status, 0) == child);
  return status;
}

}  // namespace

int64_t RunForked(const ForkedCases& cases) {
  void* const shared =
      mmap(nullptr, sizeof(std::atomic<int64_t>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  DF_CHECK(shared != MAP_FAILED);
  auto& at = *new (shared) std::atomic<int64_t>(cases.first);
  int64_t died = 0;
  while (at < cases.first + cases.count) {
    const int status = RunChild(cases, at);
    if (status == 0) break;
    ++died;
    cases.report(at, WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "ended the process");
    ++at;
  }
  munmap(shared, sizeof(std::atomic<int64_t>));
  return died;
}

}  // namespace dfrun::fuzz
