// The pool as the kernel of an expensive node sees it, with work held back that other threads should begin only when
// they find none of the kernel's blocks.
#ifndef DFRUN_SRC_EXECUTOR_STEP_NODE_POOL_H_
#define DFRUN_SRC_EXECUTOR_STEP_NODE_POOL_H_

#include <utility>

#include "src/executor/step/worker_pool.h"
#include "src/framework/step/trace_sink.h"

namespace dfrun {

// Thread safety: one kernel's call at a time; blocks may have blocks of their own on any thread, the rest is for the
// thread that calls the kernel.
class NodePool final : public ThreadPool {
 public:
  explicit NodePool(WorkerPool& pool) : pool_(pool) {}

  // Work to submit with the `with`-th of the kernel's calls of RunBlocks that have blocks for others, counted from 1,
  // or by Release(). At most one piece.
  void Hold(Work* work, int with) {
    held_ = work;
    held_for_ = with;
  }
  void Release() {
    if (Work* const work = std::exchange(held_, nullptr)) pool_.Submit(work);
  }

  void Begin() {
    calls_ = longest_ = 0;
    longest_ns_ = 0;
  }
  // The number of the call since Begin() that took longest; 0: there were none.
  int longest() const { return longest_; }

  int num_threads() const override { return pool_.num_threads(); }
  int ready_threads() const override { return pool_.ready_threads(); }
  void RunBlocks(int64_t blocks, FunctionRef<void(int64_t)> body) override {
    if (blocks <= 1 || in_blocks_) return pool_.RunBlocks(blocks, body);
    in_blocks_ = true;
    Work* const later = ++calls_ == held_for_ ? std::exchange(held_, nullptr) : nullptr;
    const int64_t begin_ns = TraceSink::NowNs();
    pool_.RunBlocksBefore(later, blocks, body);
    const int64_t taken_ns = TraceSink::NowNs() - begin_ns;
    if (taken_ns > longest_ns_) {
      longest_ns_ = taken_ns;
      longest_ = calls_;
    }
    in_blocks_ = false;
  }

 private:
  WorkerPool& pool_;
  Work* held_ = nullptr;
  int held_for_ = 0;
  int calls_ = 0;
  int longest_ = 0;
  int64_t longest_ns_ = 0;
  bool in_blocks_ = false;  // read by threads that run its blocks
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_STEP_NODE_POOL_H_
