// Ranks that are processes which the test forks, with a bootstrap over memory that they share: they can be killed and
// stopped.
#ifndef DFRUN_TESTS_UNIT_COMM_FORKED_RANKS_H_
#define DFRUN_TESTS_UNIT_COMM_FORKED_RANKS_H_

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "comm/bootstrap/bootstrap.h"

namespace dfrun::comm {

// What the processes share, and tell the test. Lock-free.
struct SharedBoard {
  static constexpr int kMost = 8;  // ranks
  struct Rank {
    std::atomic<bool> is_up{false};
    std::atomic<int> lost{-1};  // the rank that was said to be lost
    char loss[512] = {};        // before `lost` is set
    std::atomic<int> answers{0};
  };
  Rank ranks[kMost];
  std::atomic<bool> ask{false};
  std::atomic<bool> leave{false};
};

// Thread safety: one thread.
class ForkedRanks {
 public:
  // Each rank runs `body`, whose result is its exit code.
  ForkedRanks(int count, const std::function<int(Bootstrap&, SharedBoard&)>& body);
  // Kills what is left.
  ~ForkedRanks();
  ForkedRanks(const ForkedRanks&) = delete;
  ForkedRanks& operator=(const ForkedRanks&) = delete;

  SharedBoard& board() { return *board_; }
  void Signal(int rank, int signal) const;
  // The exit code, or 128 + the signal; -1 where it has not ended after so long.
  int WaitFor(int rank, double seconds);

 private:
  std::vector<pid_t> pids_;  // 0: it has been waited for
  SharedBoard* board_ = nullptr;
};

// True once `done` is, within the time.
bool Until(double seconds, const std::function<bool()>& done);

}  // namespace dfrun::comm

#endif  // DFRUN_TESTS_UNIT_COMM_FORKED_RANKS_H_
