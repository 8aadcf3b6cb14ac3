#include <algorithm>

#include "kernels/array/element_size.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

class DiagKernel : public Kernel {
 public:
  explicit DiagKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    if (x.shape().rank() == 0) return InvalidArgument("Diag takes a tensor of rank 1 or more, not a scalar");
    std::vector<int64_t> dims(x.shape().dims().begin(), x.shape().dims().end());
    dims.insert(dims.end(), x.shape().dims().begin(), x.shape().dims().end());
    DF_ASSIGN(const Shape shape, Shape::Create(dims));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    VisitElement(x.dtype(), [&](auto tag) {
      using E = typename decltype(tag)::type;
      const int64_t n = x.num_elements();
      const E* from = static_cast<const E*>(x.raw());
      E* to = static_cast<E*>(y->raw());
      std::fill_n(to, shape.num_elements(), E());
      for (int64_t i = 0; i < n; ++i) to[i * (n + 1)] = from[i];
    });
    return Status();
  }
};

class DiagPartKernel : public Kernel {
 public:
  explicit DiagPartKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    const std::span<const int64_t> dims = x.shape().dims();
    const size_t half = dims.size() / 2;
    if (dims.size() % 2 != 0 || dims.empty() || !std::equal(dims.begin(), dims.begin() + half, dims.begin() + half))
      return InvalidArgument("DiagPart of ", x.shape(), ": the second half of the shape must equal the first");
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(dims.first(half)), &y));
    VisitElement(x.dtype(), [&](auto tag) {
      using E = typename decltype(tag)::type;
      const int64_t n = y->num_elements();
      const E* from = static_cast<const E*>(x.raw());
      E* to = static_cast<E*>(y->raw());
      for (int64_t i = 0; i < n; ++i) to[i] = from[i * (n + 1)];
    });
    return Status();
  }
};

CPU_KERNEL_ANY("Diag", DiagKernel);
CPU_KERNEL_ANY("DiagPart", DiagPartKernel);

}  // namespace
}  // namespace dfrun
