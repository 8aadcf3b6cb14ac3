#include "kernels/array/copy/fill_elements.h"
#include "kernels/array/element_size.h"
#include "kernels/array/int_values.h"
#include "kernels/device/cpu_kernel.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

class FillKernel : public Kernel {
 public:
  explicit FillKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const Tensor& value = ctx.input(1);
    if (value.shape().rank() != 0)
      return InvalidArgument("the value to fill with has shape ", value.shape(), ", but must be a scalar");
    DF_ASSIGN(const Shape shape, ShapeValue(ctx.input(0), "the shape to fill"));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    VisitElement(value.dtype(), [&](auto tag) {
      using E = typename decltype(tag)::type;
      FillElements(ctx.pool(), static_cast<E*>(y->raw()), shape.num_elements(), *static_cast<const E*>(value.raw()));
    });
    return Status();
  }
};

// ZerosLike of everything but handles; a variant defines its own zeros.
class ZerosLikeKernel : public Kernel {
 public:
  explicit ZerosLikeKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, ctx.input(0).shape(), &y));
    VisitElement(y->dtype(), [&](auto tag) {
      using E = typename decltype(tag)::type;
      FillElements(ctx.pool(), static_cast<E*>(y->raw()), y->num_elements(), E());
    });
    return Status();
  }
};

struct ZerosLike {
  template <class T>
  using Kernel = ZerosLikeKernel;
};

struct OnesLike {
  template <class T>
  class Kernel : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup&) {}
    Status Compute(OpContext& ctx) {
      Tensor* y = nullptr;
      DF_TRY(ctx.AllocateOutput(0, ctx.input(0).shape(), &y));
      FillElements(ctx.pool(), y->data<T>(), y->num_elements(), static_cast<T>(1.0F));
      return Status();
    }
  };
};

CPU_KERNEL_ANY("Fill", FillKernel);
CPU_KERNEL("ZerosLike", ZerosLike, DF_NUMBERS, DF_QUANTIZED, bool, std::string);
CPU_KERNEL("OnesLike", OnesLike, DF_NUMBERS, bool);

}  // namespace
}  // namespace dfrun
