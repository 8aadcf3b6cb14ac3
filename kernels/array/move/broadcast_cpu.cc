#include <algorithm>

#include "kernels/array/copy/movement_cpu.h"
#include "kernels/array/int_values.h"
#include "kernels/array/move/repeat.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

// Two shape vectors, the shorter padded on the left with ones.
struct ShapePair {
  std::vector<int64_t> a;
  std::vector<int64_t> b;
};

Result<ShapePair> ReadShapes(const OpContext& ctx) {
  ShapePair pair;
  DF_ASSIGN(pair.a, IntVector(ctx.input(0), "s0"));
  DF_ASSIGN(pair.b, IntVector(ctx.input(1), "s1"));
  const size_t rank = std::max(pair.a.size(), pair.b.size());
  pair.a.insert(pair.a.begin(), rank - pair.a.size(), 1);
  pair.b.insert(pair.b.begin(), rank - pair.b.size(), 1);
  for (size_t d = 0; d < rank; ++d) {
    if (pair.a[d] != pair.b[d] && pair.a[d] != 1 && pair.b[d] != 1) {
      return InvalidArgument("the shapes ", PartialShape(pair.a), " and ", PartialShape(pair.b), " do not broadcast");
    }
  }
  return pair;
}

Status OutputInts(OpContext& ctx, int i, const std::vector<int64_t>& values) {
  Tensor* y = nullptr;
  DF_TRY(ctx.AllocateOutput(i, Shape({static_cast<int64_t>(values.size())}), &y));
  return StoreInts(values, *y);
}

class BroadcastGradientArgsKernel : public Kernel {
 public:
  explicit BroadcastGradientArgsKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const ShapePair shapes, ReadShapes(ctx));
    const bool same = ctx.input(0).shape() == ctx.input(1).shape() && shapes.a == shapes.b;
    std::vector<int64_t> reduced_a;
    std::vector<int64_t> reduced_b;
    for (size_t d = 0; d < shapes.a.size() && !same; ++d) {
      // Both may be 1, and then either may be summed over; TensorFlow names both.
      if (shapes.a[d] == 1) reduced_a.push_back(static_cast<int64_t>(d));
      if (shapes.b[d] == 1) reduced_b.push_back(static_cast<int64_t>(d));
    }
    DF_TRY(OutputInts(ctx, 0, reduced_a));
    return OutputInts(ctx, 1, reduced_b);
  }
};

class BroadcastArgsKernel : public Kernel {
 public:
  explicit BroadcastArgsKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const ShapePair shapes, ReadShapes(ctx));
    std::vector<int64_t> both = shapes.a;
    for (size_t d = 0; d < both.size(); ++d) both[d] = both[d] == 1 ? shapes.b[d] : both[d];
    return OutputInts(ctx, 0, both);
  }
};

CPU_KERNEL_ANY("BroadcastTo", BroadcastToKernel<cpu::Movement>);
CPU_KERNEL_ANY("Tile", TileKernel<cpu::Movement>);
CPU_KERNEL_ANY("BroadcastGradientArgs", BroadcastGradientArgsKernel);
CPU_KERNEL_ANY("BroadcastArgs", BroadcastArgsKernel);

}  // namespace
}  // namespace dfrun
