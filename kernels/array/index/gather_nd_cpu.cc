#include <algorithm>

#include "kernels/array/element_size.h"
#include "kernels/array/index/coordinates.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

class GatherNdKernel : public Kernel {
 public:
  explicit GatherNdKernel(KernelSetup& setup) : bad_indices_(ReadBadIndices(setup)) {}
  Status Compute(OpContext& ctx) {
    const Tensor& params = ctx.input(0);
    if (params.shape().rank() == 0) return InvalidArgument("GatherNd from a scalar");
    DF_ASSIGN(const CoordinateSlices named, ReadCoordinates(ctx.input(1), params.shape(), bad_indices_));
    DF_ASSIGN(const Shape shape, Shape::Create(named.SliceDims(params.shape())));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    VisitElement(params.dtype(), [&](auto tag) {
      using E = typename decltype(tag)::type;
      const E* from = static_cast<const E*>(params.raw());
      E* to = static_cast<E*>(y->raw());
      if (named.row == 1) {
        for (int64_t slice : named.slices) *to++ = slice != CoordinateSlices::kNowhere ? from[slice] : E();
        return;
      }
      for (int64_t slice : named.slices) {
        const bool is_there = slice != CoordinateSlices::kNowhere;
        to = is_there ? std::copy_n(from + slice * named.row, named.row, to) : std::fill_n(to, named.row, E());
      }
    });
    return Status();
  }

 private:
  const BadIndices bad_indices_;
};

CPU_KERNEL_ANY("GatherNd", GatherNdKernel);

}  // namespace
}  // namespace dfrun
