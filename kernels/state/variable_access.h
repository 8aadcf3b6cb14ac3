// Access to the variables behind the inputs of state kernels, be they refs or resource handles.
#ifndef DFRUN_KERNELS_STATE_VARIABLE_ACCESS_H_
#define DFRUN_KERNELS_STATE_VARIABLE_ACCESS_H_

#include <array>
#include <span>

#include "src/framework/kernel/kernel.h"

namespace dfrun {

// The variable behind input i. InvalidArgument where a handle stands for something else.
Result<Variable*> VariableInput(const OpContext& ctx, int i);

// FailedPrecondition that names the variable and says how it gets a value.
Status NoValue(const Variable& variable);

// Locks up to four variables, each once, in the order of their addresses, so that kernels that share several cannot
// block each other.
// Blocks: until every other holder of one of the locks gives it up.
class VariableLocks {
 public:
  static constexpr int kMax = 4;
  explicit VariableLocks(std::span<Variable* const> variables) NO_THREAD_SAFETY_ANALYSIS {
    for (Variable* variable : variables) Insert(variable);
    for (int i = 0; i < count_; ++i) sorted_[i]->mu().Lock();
  }
  ~VariableLocks() NO_THREAD_SAFETY_ANALYSIS {
    for (int i = 0; i < count_; ++i) sorted_[i]->mu().Unlock();
  }
  VariableLocks(const VariableLocks&) = delete;
  VariableLocks& operator=(const VariableLocks&) = delete;

  // Checks that each has a value of this dtype and shape and makes its bytes its alone.
  Status MakeWritable(std::span<Variable* const> variables, DType dtype, Device& device) const;

 private:
  void Insert(Variable* variable);

  std::array<Variable*, kMax> sorted_{};
  int count_ = 0;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_STATE_VARIABLE_ACCESS_H_
