#include <atomic>
#include <cstring>

#include "kernels/state/variable_access.h"

namespace dfrun {
namespace {

// The name that the pair of ops shares: var_name, or the TemporaryVariable's own.
class TemporaryVariableKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit TemporaryVariableKernel(KernelSetup& setup) : dtype_(setup.attr<DType>("dtype")) {
    name_ = setup.attr<std::string>("var_name");
    if (name_.empty()) name_ = setup.node().name;
    const Result<Shape> shape = setup.attr<PartialShape>("shape").ToShape();
    if (!shape.ok()) setup.Fail(shape.status());
    if (shape.ok()) shape_ = *shape;
  }

  // Each execution makes a variable of its own, so that iterations of a loop do not meet. It begins with zeros.
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(Tensor zeros, ctx.AllocateTemp(dtype_, shape_));
    if (IsPlain(dtype_)) std::memset(zeros.raw(), 0, zeros.num_bytes());
    RefPtr<Variable> variable(new Variable(name_, dtype_, shape_));
    {
      MutexLock lock(variable->mu());
      DF_TRY(variable->Assign(zeros, ctx.allocator()));
    }
    const std::string key = StrCat(name_, "#", executions_.fetch_add(1, std::memory_order_relaxed));
    DF_TRY(ctx.step()
               .step_containers->LookupOrCreate<Variable>(ctx.node().name, key, [&] { return variable.get(); })
               .status());
    ctx.SetOutputRef(0, variable.get());
    return Status();
  }

 private:
  const DType dtype_;
  std::string name_;
  Shape shape_;
  std::atomic<int64_t> executions_{0};
};

class DestroyTemporaryVariableKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit DestroyTemporaryVariableKernel(KernelSetup& setup) : name_(setup.attr<std::string>("var_name")) {}

  Status Compute(OpContext& ctx) {
    Variable& variable = ctx.input_variable(0);
    if (variable.name() != name_) {
      return NotFound("the input is the variable '", variable.name(), "', not the temporary variable '", name_, "'");
    }
    MutexLock lock(variable.mu());
    if (!variable.initialized()) return NoValue(variable);
    ctx.SetOutput(0, variable.Snapshot());
    variable.Clear();
    return Status();
  }

 private:
  const std::string name_;
};

CPU_KERNEL_ANY("TemporaryVariable", TemporaryVariableKernel);
CPU_KERNEL_ANY("DestroyTemporaryVariable", DestroyTemporaryVariableKernel);

}  // namespace
}  // namespace dfrun
