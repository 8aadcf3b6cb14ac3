#include <algorithm>
#include <vector>

#include "kernels/array/element_size.h"
#include "kernels/array/index/dynamic.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

class DynamicStitchKernel : public Kernel {
 public:
  explicit DynamicStitchKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const int n = ctx.num_inputs() / 2;
    int64_t count = 0;
    for (int i = 0; i < n; ++i) {
      DF_TRY(CheckStitchedPart(ctx, i, n));
      for (int32_t index : ctx.input(i).values<int32_t>()) {
        if (index < 0) return InvalidArgument("indices[", i, "] holds the negative index ", index);
        count = std::max<int64_t>(count, int64_t{index} + 1);
      }
    }
    const Shape shape = RowsOf(count, ctx.input(n).shape(), ctx.input(0).shape().rank());
    DF_TRY(Shape::Create(shape.dims()).status());
    Tensor* merged = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &merged));
    VisitElement(merged->dtype(), [&](auto tag) {
      using E = typename decltype(tag)::type;
      E* to = static_cast<E*>(merged->raw());
      const int64_t row = RowElements(shape);
      std::fill_n(to, merged->num_elements(), E());  // rows that no index names
      for (int i = 0; i < n; ++i) {
        const E* from = static_cast<const E*>(ctx.input(n + i).raw());
        for (int32_t index : ctx.input(i).values<int32_t>()) {
          std::copy_n(from, row, to + index * row);
          from += row;
        }
      }
    });
    return Status();
  }
};

class DynamicPartitionKernel : public Kernel {
 public:
  explicit DynamicPartitionKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const Tensor& data = ctx.input(0);
    const Tensor& partitions = ctx.input(1);
    DF_TRY(CheckPartitions(ctx));
    std::vector<int64_t> counts(static_cast<size_t>(ctx.num_outputs()));
    for (int32_t p : partitions.values<int32_t>()) {
      if (p < 0 || p >= ctx.num_outputs())
        return InvalidArgument("partitions holds ", p, ", which is not in [0, ", ctx.num_outputs(), ")");
      ++counts[p];
    }
    std::vector<Tensor*> outputs(counts.size());
    for (int i = 0; i < ctx.num_outputs(); ++i)
      DF_TRY(ctx.AllocateOutput(i, RowsOf(counts[i], data.shape(), partitions.shape().rank()), &outputs[i]));
    VisitElement(data.dtype(), [&](auto tag) {
      using E = typename decltype(tag)::type;
      const int64_t row = RowElements(outputs[0]->shape());
      std::vector<E*> to(outputs.size());
      std::transform(outputs.begin(), outputs.end(), to.begin(), [](Tensor* t) { return static_cast<E*>(t->raw()); });
      const E* from = static_cast<const E*>(data.raw());
      for (int32_t p : partitions.values<int32_t>()) {
        to[p] = std::copy_n(from, row, to[p]);
        from += row;
      }
    });
    return Status();
  }
};

CPU_KERNEL_ANY("DynamicStitch", DynamicStitchKernel);
CPU_KERNEL_ANY("ParallelDynamicStitch", DynamicStitchKernel);
CPU_KERNEL_ANY("DynamicPartition", DynamicPartitionKernel);

}  // namespace
}  // namespace dfrun
