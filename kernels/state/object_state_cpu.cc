#include "src/framework/kernel/object_state.h"

#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

class StateKernel : public Kernel {
 public:
  explicit StateKernel(KernelSetup& setup)
      : state_(FindObjectState(setup.attr<std::string>("maker"))),
        node_{setup.attr<std::string>("object"), setup.attr<std::vector<PartialShape>>("shapes"),
              setup.attr<std::vector<DType>>("handles").size()} {
    if (state_ != nullptr && state_->save != nullptr) return;
    setup.Fail(InvalidArgument("nothing is kept of what '", setup.attr<std::string>("maker"), "' makes"));
  }

  bool IsExpensive() const override { return true; }

 protected:
  const ObjectState& state() const { return *state_; }
  const StatefulNode& node() const { return node_; }

 private:
  const ObjectState* const state_;
  const StatefulNode node_;
};

class SaveKernel final : public StateKernel {
 public:
  static constexpr bool kSharesOutputs = true;
  using StateKernel::StateKernel;
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(std::vector<Tensor> parts, state().save(ctx, node()));
    bool fits = parts.size() == static_cast<size_t>(ctx.num_outputs());
    for (size_t i = 0; fits && i < parts.size(); ++i) fits = parts[i].dtype() == ctx.node().outputs[i].dtype;
    if (!fits) return InvalidArgument("the object has another state than its node says");
    for (size_t i = 0; i < parts.size(); ++i) ctx.SetOutput(static_cast<int>(i), std::move(parts[i]));
    return Status();
  }
};

class RestoreKernel final : public StateKernel {
 public:
  using StateKernel::StateKernel;
  Status Compute(OpContext& ctx) {
    std::vector<Tensor> parts;
    for (int i = static_cast<int>(node().handles); i < ctx.num_inputs(); ++i) parts.push_back(ctx.input(i));
    return state().restore(ctx, node(), parts);
  }
};

CPU_KERNEL_ANY("_ObjectState", SaveKernel);
CPU_KERNEL_ANY("_SetObjectState", RestoreKernel);

}  // namespace
}  // namespace dfrun
