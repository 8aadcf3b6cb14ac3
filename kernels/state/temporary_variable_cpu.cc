#include <atomic>
#include <cstring>

#include "kernels/device/cpu_kernel.h"
#include "kernels/state/variable_access.h"

namespace dfrun {
namespace {

constexpr std::string_view kTemporaries = "temporary variables";  // the container

std::string KeyOf(const OpContext& ctx, const std::string& name) {
  return StrCat(name, "#", ctx.iteration());
}

// Makes the variable that DestroyTemporaryVariable ends.
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

  // Iterations of a loop have variables of their own, as they do not meet. It begins with zeros.
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(Tensor zeros, ctx.AllocateTemp(dtype_, shape_));
    if (IsPlain(dtype_)) std::memset(zeros.raw(), 0, zeros.num_bytes());
    RefPtr<Variable> variable(new Variable(name_, dtype_, shape_));
    {
      MutexLock lock(variable->mu());
      DF_TRY(variable->Assign(zeros, ctx.device()));
    }
    DF_ASSIGN(const RefPtr<Variable> found,
              ctx.step().step_containers->LookupOrCreate<Variable>(std::string(kTemporaries), KeyOf(ctx, name_),
                                                                   [&] { return variable.get(); }));
    if (found.get() != variable.get()) {
      return Error(Code::kAlreadyExists, "there is a temporary variable '", name_,
                   "' in this step already: give one of the two another var_name, or destroy one before the other");
    }
    ctx.SetOutputRef(0, variable.get());
    return Status();
  }

 private:
  const DType dtype_;
  std::string name_;  // shared by the pair of ops: var_name, or the TemporaryVariable's own
  Shape shape_;
};

// Takes the value out of the variable, which has none from then on, and frees its name.
class DestroyTemporaryVariableKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit DestroyTemporaryVariableKernel(KernelSetup& setup) : name_(setup.attr<std::string>("var_name")) {}

  Status Compute(OpContext& ctx) {
    Variable& variable = ctx.input_variable(0);
    if (variable.name() != name_) {
      return NotFound("the input is the variable '", variable.name(), "', not the temporary variable '", name_, "'");
    }
    {
      MutexLock lock(variable.mu());
      if (!variable.initialized()) return NoValue(variable);
      ctx.SetOutput(0, variable.Snapshot());
      variable.Clear();
    }
    return FreeName(ctx, variable);
  }

 private:
  // Another may have the name now. References to this one may still be there: it ends with the step.
  Status FreeName(OpContext& ctx, Variable& variable) {
    ResourceContainers& objects = *ctx.step().step_containers;
    const std::string container(kTemporaries);
    const std::string destroyed = StrCat(ctx.node().name, "#", destroyed_.fetch_add(1, std::memory_order_relaxed));
    DF_TRY(objects.LookupOrCreate<Variable>(container + " destroyed", destroyed, [&] { return &variable; }).status());
    objects.Remove<Variable>(container, KeyOf(ctx, name_));
    return Status();
  }

  std::atomic<int64_t> destroyed_{0};
  const std::string name_;
};

CPU_KERNEL_ANY("TemporaryVariable", TemporaryVariableKernel);
CPU_KERNEL_ANY("DestroyTemporaryVariable", DestroyTemporaryVariableKernel);

}  // namespace
}  // namespace dfrun
