#include "kernels/array/move/concat.h"

#include <algorithm>

#include "kernels/array/copy/movement_cpu.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

class ConcatOffsetKernel : public Kernel {
 public:
  explicit ConcatOffsetKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const int64_t dim, IntScalar(ctx.input(0), "the axis"));
    DF_ASSIGN(const std::vector<int64_t> first, IntVector(ctx.input(1), "a shape"));
    DF_ASSIGN(const int64_t axis, CanonicalAxis(dim, static_cast<int>(first.size())));
    int64_t offset = 0;
    for (int i = 1; i < ctx.num_inputs(); ++i) {
      DF_ASSIGN(std::vector<int64_t> shape, IntVector(ctx.input(i), "a shape"));
      bool fits = shape.size() == first.size();
      for (size_t d = 0; fits && d < shape.size(); ++d) fits = static_cast<int64_t>(d) == axis || shape[d] == first[d];
      if (!fits)
        return InvalidArgument("the shapes ", PartialShape(first), " and ", PartialShape(shape),
                               " do not fit together along dimension ", axis);
      const int64_t size = shape[axis];
      std::fill(shape.begin(), shape.end(), 0);
      shape[axis] = offset;
      if (__builtin_add_overflow(offset, size, &offset))
        return InvalidArgument("the joined size of dimension ", axis, " is beyond int64");
      Tensor* y = nullptr;
      DF_TRY(ctx.AllocateOutput(i - 1, ctx.input(i).shape(), &y));
      DF_TRY(StoreInts(shape, *y));
    }
    return Status();
  }
};

CPU_KERNEL_ANY("Concat", ConcatKernel<cpu::Movement>);
CPU_KERNEL_ANY("ConcatV2", ConcatV2Kernel<cpu::Movement>);
CPU_KERNEL_ANY("ConcatOffset", ConcatOffsetKernel);
CPU_KERNEL_ANY("Pack", PackKernel<cpu::Movement>);

}  // namespace
}  // namespace dfrun
