// The states of a plan's steps, kept for later steps.
#ifndef DFRUN_SRC_EXECUTOR_PLAN_PLAN_STATES_H_
#define DFRUN_SRC_EXECUTOR_PLAN_PLAN_STATES_H_

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "src/base/mutex.h"

namespace dfrun {

// The state of a step (step_state.h), as far as the plan knows it.
class PlanState {
 public:
  virtual ~PlanState() = default;
};

// Thread safety: all methods from any thread.
class PlanStates {
 public:
  // Takes a state that no step has; null if there is none.
  PlanState* TakeIdle() EXCLUDES(mu_) {
    if (PlanState* last = last_used_.exchange(nullptr, std::memory_order_acquire); last != nullptr) return last;
    MutexLock lock(mu_);
    if (idle_.empty()) return nullptr;
    PlanState* const state = idle_.back();
    idle_.pop_back();
    return state;
  }
  // Adds a state that a step has.
  void Own(std::unique_ptr<PlanState> state) EXCLUDES(mu_) {
    MutexLock lock(mu_);
    all_.push_back(std::move(state));
  }
  // Visits all states; `in_use`: a step has it.
  template <class Body>
  void ForEach(Body body) EXCLUDES(mu_) {
    MutexLock lock(mu_);
    const PlanState* const last_used = last_used_.load(std::memory_order_acquire);
    for (const auto& state : all_) {
      const bool is_idle =
          state.get() == last_used || std::find(idle_.begin(), idle_.end(), state.get()) != idle_.end();
      body(*state, !is_idle);
    }
  }
  // Takes back the state of a step that has ended.
  void Return(PlanState* state) EXCLUDES(mu_) {
    PlanState* none = nullptr;
    if (last_used_.compare_exchange_strong(none, state, std::memory_order_release, std::memory_order_relaxed)) return;
    MutexLock lock(mu_);
    idle_.push_back(state);
  }

 private:
  std::atomic<PlanState*> last_used_{nullptr};  // saves the lock where one step runs at a time
  Mutex mu_;
  std::vector<std::unique_ptr<PlanState>> all_ GUARDED_BY(mu_);
  std::vector<PlanState*> idle_ GUARDED_BY(mu_);
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_PLAN_PLAN_STATES_H_
