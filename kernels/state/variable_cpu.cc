#include <algorithm>

#include "kernels/device/cpu_kernel.h"
#include "kernels/state/variable_access.h"

namespace dfrun {
namespace {

// The variable that a node's attrs name, made where there is none yet.
RefPtr<Variable> FindOrMake(KernelSetup& setup) {
  const DType dtype = setup.attr<DType>("dtype");
  const PartialShape shape = setup.attr<PartialShape>("shape");
  const std::string shared_name = setup.attr<std::string>("shared_name");
  const std::string& name = shared_name.empty() ? setup.node().name : shared_name;
  Result<RefPtr<Variable>> found = setup.device().containers().LookupOrCreate<Variable>(
      setup.attr<std::string>("container"), name, [&] { return new Variable(name, dtype, shape); });
  if (!found.ok()) {
    setup.Fail(found.status());
    return RefPtr<Variable>();
  }
  const Variable& variable = **found;
  if (variable.dtype() != dtype || !variable.declared_shape().IsCompatibleWith(shape)) {
    setup.Fail(InvalidArgument("the variable '", name, "' is ", variable.dtype(), variable.declared_shape(),
                               " already, and cannot be ", dtype, shape,
                               " too: give one of the nodes another shared_name"));
  }
  return *found;
}

class VariableKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit VariableKernel(KernelSetup& setup) : variable_(FindOrMake(setup)) {}
  Status Compute(OpContext& ctx) {
    ctx.SetOutputRef(0, variable_.get());
    return Status();
  }
  Tensor FixedOutput() const override { return Tensor::Reference(variable_->dtype(), variable_.get()); }

 private:
  const RefPtr<Variable> variable_;
};

class VarHandleKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit VarHandleKernel(KernelSetup& setup) {
    const RefPtr<Variable> variable = FindOrMake(setup);
    if (!setup.status().ok()) return;
    handle_ = Tensor::Scalar(ResourceHandle(variable->name(), RefPtr<Resource>(variable.get())));
  }
  Status Compute(OpContext& ctx) {
    ctx.SetOutput(0, handle_);
    return Status();
  }
  Tensor FixedOutput() const override { return handle_; }

 private:
  Tensor handle_;
};

class ReadVariableKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit ReadVariableKernel(KernelSetup& setup) : promised_(setup.output_shape(0)) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(Variable* const variable, VariableInput(ctx, 0));
    MutexLock lock(variable->mu());
    if (!variable->initialized()) return NoValue(*variable);
    if (variable->dtype() != ctx.node().outputs[0].dtype) {
      return InvalidArgument("the variable '", variable->name(), "' is ", variable->dtype(), ", but is read as ",
                             ctx.node().outputs[0].dtype);
    }
    if (!promised_.IsCompatibleWith(variable->value().shape())) {
      return InvalidArgument("the variable '", variable->name(), "' now has shape ", variable->value().shape(),
                             ", but its handle declares ", promised_);
    }
    ctx.SetOutput(0, variable->Snapshot());
    return Status();
  }

 private:
  const PartialShape promised_;
};

class IsInitializedKernel final : public Kernel {
 public:
  explicit IsInitializedKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(Variable* const variable, VariableInput(ctx, 0));
    Tensor* output = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(), &output));
    *output->data<bool>() = variable->initialized();
    return Status();
  }
};

class DisableCopyOnReadKernel final : public Kernel {
 public:
  explicit DisableCopyOnReadKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(Variable* const variable, VariableInput(ctx, 0));
    return variable->initialized() ? Status() : NoValue(*variable);
  }
};

class VariableShapeKernel final : public Kernel {
 public:
  explicit VariableShapeKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(Variable* const variable, VariableInput(ctx, 0));
    if (!variable->initialized()) return NoValue(*variable);
    const Shape& shape = variable->value().shape();
    Tensor* output = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape({shape.rank()}), &output));
    VisitDType<int32_t, int64_t>(output->dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      std::transform(shape.dims().begin(), shape.dims().end(), output->data<T>(),
                     [](int64_t size) { return static_cast<T>(size); });
    });
    return Status();
  }
};

class DestroyKernel final : public Kernel {
 public:
  explicit DestroyKernel(KernelSetup& setup) : ignore_missing_(setup.attr<bool>("ignore_lookup_error")) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(Variable* const variable, VariableInput(ctx, 0));
    MutexLock lock(variable->mu());
    if (!ignore_missing_ && !variable->initialized()) return NoValue(*variable);
    variable->Clear();
    return Status();
  }

 private:
  const bool ignore_missing_;
};

CPU_KERNEL_ANY("VariableV2", VariableKernel);
CPU_KERNEL_ANY("Variable", VariableKernel);
CPU_KERNEL_ANY("IsVariableInitialized", IsInitializedKernel);
CPU_KERNEL_ANY("VarHandleOp", VarHandleKernel);
CPU_KERNEL_ANY("ReadVariableOp", ReadVariableKernel);
CPU_KERNEL_ANY("DisableCopyOnRead", DisableCopyOnReadKernel);
CPU_KERNEL_ANY("VarIsInitializedOp", IsInitializedKernel);
CPU_KERNEL_ANY("VariableShape", VariableShapeKernel);
CPU_KERNEL_ANY("DestroyResourceOp", DestroyKernel);

}  // namespace
}  // namespace dfrun
