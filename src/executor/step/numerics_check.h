// A check after each node of a step: which node first made a value that is not finite.
#ifndef DFRUN_SRC_EXECUTOR_STEP_NUMERICS_CHECK_H_
#define DFRUN_SRC_EXECUTOR_STEP_NUMERICS_CHECK_H_

#include <atomic>
#include <cstdint>
#include <string>

#include "src/base/mutex.h"
#include "src/executor/plan/plan.h"
#include "src/executor/step/seen_node.h"

namespace dfrun {

// Finds where NaN or infinity first appears on a rank, in the order of time:
//   - a node that makes NaN or infinity out of inputs that are finite, or that reads no numbers (input data);
//   - a node that gives NaN or infinity, or sends it, because a variable that it reads holds it.
// A constant or a fed value that is not finite excuses the nodes that compute from it: masks hold such on purpose. The
// value of a Recv was made elsewhere.
// Thread safety: all methods from any thread.
class NumericsCheck {
 public:
  // `keep_bytes`: how many bytes of the values of the node that it finds are kept, if they are no more; 0: none.
  explicit NumericsCheck(int64_t keep_bytes = 0) : keep_bytes_(keep_bytes) {}

  // The state of a node's inputs before it runs, since it may overwrite them.
  struct Inputs {
    bool is_finite = true;  // values; and not of variables
    std::string variable;   // the first that is not finite; "": none
    std::string fault;      // the kind of value it holds: NaN or infinity
    ValueCopies copies;     // copies of the values, where they are kept
  };

  // The check's result.
  struct Finding {
    std::string message;  // begins with "node 'NAME'"; "": nothing
    int64_t time_ns = 0;  // system clock, in ns
    SeenNode node;        // node with its values, where they are kept
  };

  // Call these before and after the node's kernel runs; `slots` are those of its iteration.
  Inputs Before(const ExecPlan& plan, uint32_t node, const Tensor* slots) const;
  void After(const ExecPlan& plan, uint32_t node, const Tensor* slots, const Inputs& inputs) EXCLUDES(mu_);

  Finding finding() const EXCLUDES(mu_);
  bool keeps_values() const { return keep_bytes_ > 0; }

 private:
  // Copies are made before each node, until one is found.
  bool copies_values() const { return keeps_values() && !has_found_.load(std::memory_order_relaxed); }
  SeenNode Seen(const ExecPlan& plan, uint32_t node, const Tensor* outputs, const Inputs& inputs) const;

  const int64_t keep_bytes_;
  std::atomic<bool> has_found_{false};
  mutable Mutex mu_;
  Finding first_ GUARDED_BY(mu_);
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_STEP_NUMERICS_CHECK_H_
