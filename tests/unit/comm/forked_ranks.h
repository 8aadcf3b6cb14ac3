// Ranks that are processes which the test forks and can kill and stop. Their bootstrap uses memory that they share.
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

// The data that the processes share, and their reports to the test. Lock-free.
struct SharedBoard {
  static constexpr int kMax = 8;  // number of ranks
  struct Rank {
    std::atomic<bool> is_up{false};
    std::atomic<int> lost{-1};  // rank that was reported lost
    char loss[512] = {};        // written before `lost` is set
    std::atomic<int> answers{0};
    std::atomic<char> holds{0};  // set by the test: the rank's heartbeat thread is in this state for `hold_s`
    std::atomic<int> words{0};   // number of its reports that ranks are waited for
    char word[512] = {};         // written before `words` is set
  };
  Rank ranks[kMax];
  std::atomic<double> hold_s{0};
  std::atomic<bool> ask{false};
  std::atomic<bool> leave{false};
};

// Thread safety: one thread.
class ForkedRanks {
 public:
  // Runs `body` in each rank, whose result is the rank's exit code.
  ForkedRanks(int count, const std::function<int(Bootstrap&, SharedBoard&)>& body);
  // Kills the ranks that still run.
  ~ForkedRanks();
  ForkedRanks(const ForkedRanks&) = delete;
  ForkedRanks& operator=(const ForkedRanks&) = delete;

  SharedBoard& board() { return *board_; }
  void Signal(int rank, int signal) const;
  // Returns the exit code, or 128 + the signal; -1 if the rank has not ended after `seconds`.
  int WaitFor(int rank, double seconds);

 private:
  std::vector<pid_t> pids_;  // 0: waitpid() has returned it
  SharedBoard* board_ = nullptr;
};

// Waits until `done` returns true; returns false if it does not within `seconds`.
bool Until(double seconds, const std::function<bool()>& done);

}  // namespace dfrun::comm

#endif  // DFRUN_TESTS_UNIT_COMM_FORKED_RANKS_H_
