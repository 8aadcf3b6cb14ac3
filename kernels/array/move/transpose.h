// Permutations of dimensions, on any device: Movement is the device's (movement_cpu.h).
#ifndef DFRUN_KERNELS_ARRAY_MOVE_TRANSPOSE_H_
#define DFRUN_KERNELS_ARRAY_MOVE_TRANSPOSE_H_

#include <algorithm>
#include <string_view>
#include <vector>

#include "kernels/array/copy/strided_copy.h"
#include "kernels/array/int_values.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun {

// Reads the permutation of a tensor of `rank`.
inline Result<std::vector<int>> ReadPermutation(const Tensor& value, int rank) {
  DF_ASSIGN(const std::vector<int64_t> perm, IntVector(value, "the permutation"));
  if (static_cast<int>(perm.size()) != rank)
    return InvalidArgument("the permutation has ", perm.size(), " entries, but x has rank ", rank);
  DF_TRY(NamedAxes(perm, rank).status());
  std::vector<int> axes(perm.size());
  std::transform(perm.begin(), perm.end(), axes.begin(),
                 [rank](int64_t p) { return static_cast<int>(p < 0 ? p + rank : p); });
  return axes;
}

// Output 0 is input 0 with its dimensions in the order that input 1 gives.
template <class Movement>
Status Permute(OpContext& ctx, Tensor** y) {
  const Tensor& x = ctx.input(0);
  DF_ASSIGN(const std::vector<int> perm, ReadPermutation(ctx.input(1), x.shape().rank()));
  Shape shape = x.shape();
  for (int d = 0; d < shape.rank(); ++d) shape.set_dim(d, x.shape().dim(perm[d]));
  DF_TRY(ctx.AllocateOutput(0, shape, y));
  if (shape.num_elements() == 0) return Status();
  const std::vector<int64_t> sizes(x.shape().dims().begin(), x.shape().dims().end());
  return Movement::Copy(ctx, x.dtype(), x.raw(), (*y)->raw(), PermutedDims(sizes, perm));
}

template <class Movement>
class TransposeKernel : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"perm"};
  explicit TransposeKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    Tensor* y = nullptr;
    return Permute<Movement>(ctx, &y);
  }
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_MOVE_TRANSPOSE_H_
