// Parts of a variable behind a handle, copied under its lock.
#include <algorithm>

#include "kernels/array/element_size.h"
#include "kernels/device/cpu_kernel.h"
#include "kernels/state/gather.h"
#include "kernels/state/row_indices.h"

namespace dfrun {
namespace {

// Copies slices of `row` elements.
void CopySlices(const Tensor& value, const std::vector<int64_t>& slices, int64_t row, Tensor& output) {
  VisitElement(value.dtype(), [&](auto tag) {
    using E = typename decltype(tag)::type;
    const E* from = static_cast<const E*>(value.raw());
    E* to = static_cast<E*>(output.raw());
    for (int64_t slice : slices) to = std::copy_n(from + slice * row, row, to);
  });
}

// Rows by number; within each batch of the first batch_dims dimensions by themselves.
class ResourceGatherKernel final : public ResourceGatherBase {
 public:
  using ResourceGatherBase::ResourceGatherBase;

 protected:
  Status Gather(OpContext& ctx, const Tensor& value, const GatherLoops& loops, Tensor& output) const override {
    DF_ASSIGN(std::vector<int64_t> slices, ReadRowIndices(ctx.input(1), loops.size));
    const auto count = static_cast<int64_t>(slices.size());
    for (int64_t i = 0; i < count; ++i) slices[static_cast<size_t>(i)] += i / loops.indices * loops.size;
    if (output.num_elements() > 0) CopySlices(value, slices, loops.row, output);
    return Status();
  }
};

class ResourceGatherNdKernel final : public ResourceGatherNdBase {
 public:
  using ResourceGatherNdBase::ResourceGatherNdBase;

 protected:
  Status Gather(OpContext& ctx, const Tensor& value, const CoordinatePlan& plan, Tensor& output) const override {
    DF_ASSIGN(const CoordinateSlices named, ReadSlices(plan, ctx.input(1), value.shape(), BadIndices::kError));
    if (output.num_elements() > 0) CopySlices(value, named.slices, named.row, output);
    return Status();
  }
};

CPU_KERNEL_ANY("ResourceGather", ResourceGatherKernel);
CPU_KERNEL_ANY("ResourceGatherNd", ResourceGatherNdKernel);

}  // namespace
}  // namespace dfrun
