#include "tests/unit/comm/forked_ranks.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>

namespace dfrun::comm {
namespace {

struct Gathering {
  static constexpr size_t kBytes = 4096;
  pthread_barrier_t barrier;
  size_t sizes[SharedBoard::kMax] = {};
  char bytes[SharedBoard::kMax][kBytes] = {};
};

class SharedBootstrap final : public Bootstrap {
 public:
  SharedBootstrap(int rank, int size, Gathering& gathering) : rank_(rank), size_(size), gathering_(gathering) {}
  std::string_view name() const override { return "shared"; }
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  Result<std::vector<std::string>> AllGather(std::string_view bytes) override {
    if (bytes.size() > Gathering::kBytes) return Internal("too much for the board");
    gathering_.sizes[rank_] = bytes.size();
    std::memcpy(gathering_.bytes[rank_], bytes.data(), bytes.size());
    pthread_barrier_wait(&gathering_.barrier);
    std::vector<std::string> all;
    for (int r = 0; r < size_; ++r) all.emplace_back(gathering_.bytes[r], gathering_.sizes[r]);
    pthread_barrier_wait(&gathering_.barrier);
    return all;
  }
  Status Barrier() override {
    pthread_barrier_wait(&gathering_.barrier);
    return Status();
  }
  [[noreturn]] void Abort(int exit_code) override { std::_Exit(exit_code); }

 private:
  const int rank_;
  const int size_;
  Gathering& gathering_;
};

template <class T>
T* MakeShared() {
  void* const memory = ::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  DF_CHECK(memory != MAP_FAILED);
  return new (memory) T();
}

}  // namespace

ForkedRanks::ForkedRanks(int count, const std::function<int(Bootstrap&, SharedBoard&)>& body)
    : board_(MakeShared<SharedBoard>()) {
  auto* const gathering = MakeShared<Gathering>();
  pthread_barrierattr_t shared;
  pthread_barrierattr_init(&shared);
  pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&gathering->barrier, &shared, static_cast<unsigned>(count));
  for (int rank = 0; rank < count; ++rank) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      SharedBootstrap bootstrap(rank, count, *gathering);
      std::_Exit(body(bootstrap, *board_));
    }
    pids_.push_back(pid);
  }
}

ForkedRanks::~ForkedRanks() {
  for (size_t rank = 0; rank < pids_.size(); ++rank) {
    if (pids_[rank] <= 0) continue;
    ::kill(pids_[rank], SIGKILL);
    ::waitpid(pids_[rank], nullptr, 0);
  }
}

void ForkedRanks::Signal(int rank, int signal) const {
  ::kill(pids_[static_cast<size_t>(rank)], signal);
}

int ForkedRanks::WaitFor(int rank, double seconds) {
  pid_t& pid = pids_[static_cast<size_t>(rank)];
  int status = 0;
  if (!Until(seconds, [&] { return ::waitpid(pid, &status, WNOHANG) == pid; })) return -1;
  pid = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool Until(double seconds, const std::function<bool()>& done) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!done()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace dfrun::comm
