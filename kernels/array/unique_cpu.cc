#include <algorithm>
#include <string>
#include <vector>

#include "kernels/array/different_slices.h"
#include "kernels/array/int_values.h"
#include "src/framework/kernel.h"

namespace dfrun {
namespace {

// Unique and its kin: input 1, where there is one, is the axis; output 2, where there is one, the counts.
template <class T>
class UniqueKernel : public Kernel {
 public:
  explicit UniqueKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const int64_t axis, ReadAxis(ctx));
    Tensor* idx = nullptr;
    DF_TRY(ctx.AllocateOutput(1, Shape({x.shape().dim(static_cast<int>(axis))}), &idx));
    const SlicesOfTensor<T> slices(x, axis);
    const DifferentSlices places = FindDifferent(slices);
    const auto different = static_cast<int64_t>(places.firsts.size());
    Shape shape = x.shape();
    shape.set_dim(static_cast<int>(axis), different);
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    T* to = y->data<T>();
    for (int64_t o = 0; o < slices.outer(); ++o) {
      for (int64_t first : places.firsts) to = std::copy_n(slices.Run(o, first), slices.inner(), to);
    }
    DF_TRY(StoreInts(places.place_of, *idx));
    if (ctx.num_outputs() == 2) return Status();
    Tensor* counts = nullptr;
    DF_TRY(ctx.AllocateOutput(2, Shape({different}), &counts));
    return StoreInts(places.counts, *counts);
  }

 private:
  static Result<int64_t> ReadAxis(const OpContext& ctx) {
    const Shape& x = ctx.input(0).shape();
    std::vector<int64_t> axis;
    if (ctx.num_inputs() > 1) {
      DF_ASSIGN(axis, IntVector(ctx.input(1), "the axis"));
    }
    if (axis.size() > 1) return InvalidArgument("there may be one axis, but there are ", axis.size());
    if (axis.empty() && x.rank() != 1)
      return InvalidArgument("without an axis x must be a vector, but it has shape ", x);
    return CanonicalAxis(axis.empty() ? 0 : axis[0], x.rank());
  }
};

struct Unique {
  template <class T>
  using Kernel = UniqueKernel<ValueBits<T>>;
};

#define UNIQUE_KERNEL(op)                                                                                          \
  CPU_KERNEL(op, Unique, bfloat16, float16, float, double, uint8_t, uint16_t, uint32_t, uint64_t, int8_t, int16_t, \
             int32_t, int64_t, bool, std::string)
UNIQUE_KERNEL("Unique");
UNIQUE_KERNEL("UniqueV2");
UNIQUE_KERNEL("UniqueWithCounts");
UNIQUE_KERNEL("UniqueWithCountsV2");
#undef UNIQUE_KERNEL

}  // namespace
}  // namespace dfrun
