// Several ranks as threads of the test: rank 0 is the test's own, the others serve.
#ifndef DFRUN_TESTS_UNIT_SESSION_RANK_THREADS_H_
#define DFRUN_TESTS_UNIT_SESSION_RANK_THREADS_H_

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "comm/in_process/in_process.h"
#include "src/session/runtime.h"
#include "src/session/worker.h"

namespace dfrun::testing {

class RankThreads {
 public:
  explicit RankThreads(int ranks, int threads_a_rank = 1, CollectivesOption collectives = CollectivesOption::kAuto)
      : RankThreads(comm::ConnectInProcess(ranks), threads_a_rank, collectives) {}
  explicit RankThreads(std::vector<std::unique_ptr<Communicator>> communicators, int threads_a_rank = 1,
                       CollectivesOption collectives = CollectivesOption::kAuto)
      : served_(communicators.size()) {
    const auto ranks = static_cast<int>(communicators.size());
    RuntimeOptions options;
    options.threads = threads_a_rank;
    options.collectives = collectives;
    for (auto& communicator : communicators) {
      Result<std::unique_ptr<Runtime>> made = Runtime::Create(options, std::move(communicator));
      EXPECT_TRUE(made.ok()) << made.status().ToString();
      runtimes_.push_back(*std::move(made));
    }
    for (int rank = 1; rank < ranks; ++rank) {
      threads_.emplace_back([this, rank] { served_[rank] = Worker(*runtimes_[rank]).Serve(); });
    }
  }
  ~RankThreads() { Stop(); }

  Runtime& master() { return *runtimes_[0]; }
  Runtime& runtime(int rank) { return *runtimes_[rank]; }

  // Ends all ranks with `status`; returns the results of their Serve(), by rank.
  const std::vector<Status>& Stop(const Status& status = Status()) {
    if (threads_.empty()) return served_;
    EXPECT_EQ(Shutdown(*runtimes_[0], status), status);
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    return served_;
  }

 private:
  std::vector<std::unique_ptr<Runtime>> runtimes_;
  std::vector<std::thread> threads_;
  std::vector<Status> served_;
};

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_SESSION_RANK_THREADS_H_
