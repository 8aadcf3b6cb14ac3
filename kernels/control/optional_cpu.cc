#include <memory>
#include <utility>
#include <vector>

#include "kernels/control/optional.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

Status Give(OpContext& ctx, std::shared_ptr<Optional> value) {
  Tensor* output = nullptr;
  DF_TRY(ctx.AllocateOutput(0, Shape(), &output));
  *output->data<Variant>() = Variant(std::move(value));
  return Status();
}

Result<const Optional*> Input(const OpContext& ctx) {
  const Tensor& optional = ctx.input(0);
  if (optional.shape().rank() != 0) return InvalidArgument("an optional is a scalar, but has shape ", optional.shape());
  return optional.scalar<Variant>().As<Optional>("Optional");
}

class FromValueKernel final : public Kernel {
 public:
  explicit FromValueKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    auto value = std::make_shared<Optional>();
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      DF_ASSIGN(Tensor component, ctx.input(i).Owned(ctx.allocator()));
      value->components.push_back(std::move(component));
    }
    return Give(ctx, std::move(value));
  }
};

class NoneKernel final : public Kernel {
 public:
  explicit NoneKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) { return Give(ctx, std::make_shared<Optional>()); }
};

class HasValueKernel final : public Kernel {
 public:
  explicit HasValueKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const Optional* const optional, Input(ctx));
    Tensor* output = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(), &output));
    *output->data<bool>() = !optional->components.empty();
    return Status();
  }
};

class GetValueKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit GetValueKernel(KernelSetup& setup)
      : types_(setup.attr<std::vector<DType>>("output_types")),
        shapes_(setup.attr<std::vector<PartialShape>>("output_shapes")) {}

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const Optional* const optional, Input(ctx));
    if (optional->components.size() != types_.size()) {
      return InvalidArgument("the op is for ", types_.size(), " values, but there is ", optional->DebugString());
    }
    for (size_t i = 0; i < types_.size(); ++i) {
      const Tensor& value = optional->components[i];
      if (value.dtype() != types_[i] || !shapes_[i].IsCompatibleWith(value.shape())) {
        return InvalidArgument("value ", i, " of the optional is ", value.dtype(), value.shape(),
                               ", but attrs promise ", types_[i], shapes_[i]);
      }
      ctx.SetOutput(static_cast<int>(i), value);
    }
    return Status();
  }

 private:
  const std::vector<DType> types_;
  const std::vector<PartialShape> shapes_;
};

CPU_KERNEL_ANY("OptionalFromValue", FromValueKernel);
CPU_KERNEL_ANY("OptionalNone", NoneKernel);
CPU_KERNEL_ANY("OptionalHasValue", HasValueKernel);
CPU_KERNEL_ANY("OptionalGetValue", GetValueKernel);

}  // namespace
}  // namespace dfrun
