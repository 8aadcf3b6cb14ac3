#include <algorithm>
#include <vector>

#include "kernels/array/int_values.h"
#include "kernels/array/strided_copy.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

class RollKernel : public Kernel {
 public:
  explicit RollKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const std::vector<int64_t> shifts, Shifts(ctx));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, x.shape(), &y));
    if (x.num_elements() > 0) CopyPieces(ctx.pool(), x, *y, shifts, 0, 0, 0, {});
    return Status();
  }

 private:
  // How far each dimension moves, in [0, size).
  static Result<std::vector<int64_t>> Shifts(const OpContext& ctx) {
    const Shape& x = ctx.input(0).shape();
    const Shape& given = ctx.input(1).shape();
    if (x.rank() == 0) return InvalidArgument("Roll takes a tensor of rank 1 or more, not a scalar");
    if (given.rank() > 1 || !(given == ctx.input(2).shape()))
      return InvalidArgument("shift and axis must be numbers or vectors of one length, but have shapes ", given,
                             " and ", ctx.input(2).shape());
    const std::vector<int64_t> by = IntValues(ctx.input(1));
    const std::vector<int64_t> axes = IntValues(ctx.input(2));
    std::vector<int64_t> shifts(static_cast<size_t>(x.rank()));
    for (size_t i = 0; i < by.size(); ++i) {
      DF_ASSIGN(const int64_t axis, CanonicalAxis(axes[i], x.rank()));
      const int64_t size = std::max<int64_t>(1, x.dim(static_cast<int>(axis)));
      shifts[axis] = (shifts[axis] + by[i] % size + size) % size;
    }
    return shifts;
  }

  // Each dimension that moves is two pieces; copies every combination of them.
  static void CopyPieces(ThreadPool& pool, const Tensor& x, Tensor& y, const std::vector<int64_t>& shifts, int d,
                         int64_t from, int64_t to, std::vector<CopyDim> dims) {
    if (d == x.shape().rank()) {
      StridedCopy(pool, x.dtype(), ElementAt(x.raw(), x.dtype(), from), ElementAt(y.raw(), x.dtype(), to),
                  std::move(dims));
      return;
    }
    const int64_t size = x.shape().dim(d);
    const int64_t shift = shifts[d];
    const int64_t stride = RowMajorStrides(x.shape())[d];
    dims.push_back({size - shift, stride, stride});
    CopyPieces(pool, x, y, shifts, d + 1, from, to + shift * stride, dims);
    if (shift == 0) return;
    dims.back().size = shift;
    CopyPieces(pool, x, y, shifts, d + 1, from + (size - shift) * stride, to, std::move(dims));
  }
};

CPU_KERNEL_ANY("Roll", RollKernel);

}  // namespace
}  // namespace dfrun
