#include <algorithm>

#include "kernels/array/coordinates.h"
#include "kernels/array/element_size.h"
#include "src/framework/kernel.h"

namespace dfrun {
namespace {

class GatherNdKernel : public Kernel {
 public:
  explicit GatherNdKernel(KernelSetup& setup) {
    const auto policy = setup.attr<std::string>("bad_indices_policy");
    if (!policy.empty() && policy != "DEFAULT" && policy != "ERROR")
      setup.Fail(Unimplemented("GatherNd with bad_indices_policy '", policy, "'"));
  }
  Status Compute(OpContext& ctx) {
    const Tensor& params = ctx.input(0);
    if (params.shape().rank() == 0) return InvalidArgument("GatherNd from a scalar");
    DF_ASSIGN(const CoordinateSlices named, ReadCoordinates(ctx.input(1), params.shape()));
    const Shape& indices = ctx.input(1).shape();
    std::vector<int64_t> dims = named.prefix;
    for (int d = static_cast<int>(indices.dim(indices.rank() - 1)); d < params.shape().rank(); ++d)
      dims.push_back(params.shape().dim(d));
    DF_ASSIGN(const Shape shape, Shape::Create(dims));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    VisitElement(params.dtype(), [&](auto tag) {
      using E = typename decltype(tag)::type;
      const E* from = static_cast<const E*>(params.raw());
      E* to = static_cast<E*>(y->raw());
      for (int64_t slice : named.slices) to = std::copy_n(from + slice * named.row, named.row, to);
    });
    return Status();
  }
};

CPU_KERNEL_ANY("GatherNd", GatherNdKernel);

}  // namespace
}  // namespace dfrun
