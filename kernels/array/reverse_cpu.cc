#include <algorithm>
#include <vector>

#include "kernels/array/element_size.h"
#include "kernels/array/int_values.h"
#include "kernels/array/strided_copy.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

// The input, backwards along the dimensions for which `reversed` is true.
Status ReverseDims(OpContext& ctx, const std::vector<bool>& reversed) {
  const Tensor& x = ctx.input(0);
  Tensor* y = nullptr;
  DF_TRY(ctx.AllocateOutput(0, x.shape(), &y));
  if (x.num_elements() == 0) return Status();
  const std::vector<int64_t> strides = RowMajorStrides(x.shape());
  std::vector<CopyDim> dims;
  int64_t first = 0;
  for (int d = 0; d < x.shape().rank(); ++d) {
    const int64_t size = x.shape().dim(d);
    dims.push_back({size, reversed[d] ? -strides[d] : strides[d], strides[d]});
    if (reversed[d]) first += (size - 1) * strides[d];
  }
  StridedCopy(ctx.pool(), x.dtype(), ElementAt(x.raw(), x.dtype(), first), y->raw(), std::move(dims));
  return Status();
}

class ReverseKernel : public Kernel {
 public:
  explicit ReverseKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const Shape& dims = ctx.input(1).shape();
    if (!(dims == Shape({ctx.input(0).shape().rank()})))
      return InvalidArgument("dims has shape ", dims, ", but must have an entry for each dimension of ",
                             ctx.input(0).shape());
    if (ctx.input(0).shape().rank() > 0 && ctx.input(0).shape().dim(0) == 0)
      return InvalidArgument("Reverse of ", ctx.input(0).shape(), ", whose first size is 0; ReverseV2 takes that");
    const std::span<const bool> reversed = ctx.input(1).values<bool>();
    return ReverseDims(ctx, std::vector<bool>(reversed.begin(), reversed.end()));
  }
};

class ReverseV2Kernel : public Kernel {
 public:
  explicit ReverseV2Kernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const std::vector<int64_t> axes, IntVector(ctx.input(1), "the axes"));
    const int rank = ctx.input(0).shape().rank();
    if (rank == 0) return ReverseDims(ctx, {});  // whatever the axes are
    DF_ASSIGN(const std::vector<bool> reversed, NamedAxes(axes, rank));
    return ReverseDims(ctx, reversed);
  }
};

// The input as [a, first, b, second, row], where first and second are the batch and the sequence dimension.
struct SequenceLoops {
  int64_t first = 1;
  int64_t b = 1;
  int64_t second = 1;
  int64_t row = 1;
  bool batch_is_first = false;

  // The row of the input that output row i holds.
  int64_t Source(int64_t i, const std::vector<int64_t>& lengths) const {
    const int64_t j = i % second;
    const int64_t k = i / (second * b) % first;
    const int64_t at = batch_is_first ? j : k;
    const int64_t length = lengths[batch_is_first ? k : j];
    if (at >= length) return i;
    return i + (length - 1 - 2 * at) * (batch_is_first ? 1 : second * b);
  }
};

class ReverseSequenceKernel : public Kernel {
 public:
  explicit ReverseSequenceKernel(KernelSetup& setup)
      : seq_dim_(setup.attr<int64_t>("seq_dim")), batch_dim_(setup.attr<int64_t>("batch_dim")) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const std::vector<int64_t> lengths, IntVector(ctx.input(1), "seq_lengths"));
    DF_TRY(Check(x.shape(), lengths));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, x.shape(), &y));
    if (x.num_elements() == 0) return Status();
    const SequenceLoops loops = MakeLoops(x.shape());
    VisitElement(x.dtype(), [&](auto tag) {
      using E = typename decltype(tag)::type;
      const E* from = static_cast<const E*>(x.raw());
      E* to = static_cast<E*>(y->raw());
      ctx.pool().ParallelFor(
          x.num_elements() / loops.row, kCopyBlock / std::min(kCopyBlock, loops.row), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i)
              std::copy_n(from + loops.Source(i, lengths) * loops.row, loops.row, to + i * loops.row);
          });
    });
    return Status();
  }

 private:
  Status Check(const Shape& x, const std::vector<int64_t>& lengths) const {
    const int rank = x.rank();
    if (batch_dim_ < 0 || batch_dim_ >= rank || seq_dim_ < 0 || seq_dim_ >= rank || batch_dim_ == seq_dim_)
      return InvalidArgument("batch_dim ", batch_dim_, " and seq_dim ", seq_dim_, " must be different dimensions of ",
                             x);
    if (static_cast<int64_t>(lengths.size()) != x.dim(static_cast<int>(batch_dim_)))
      return InvalidArgument("there are ", lengths.size(), " seq_lengths, but dimension ", batch_dim_, " of ", x,
                             " is ", x.dim(static_cast<int>(batch_dim_)));
    for (int64_t length : lengths) {
      if (length < 0 || length > x.dim(static_cast<int>(seq_dim_)))
        return InvalidArgument("the sequence length ", length, " is not within dimension ", seq_dim_, " of ", x);
    }
    return Status();
  }

  SequenceLoops MakeLoops(const Shape& x) const {
    SequenceLoops loops;
    loops.batch_is_first = batch_dim_ < seq_dim_;
    const int first = static_cast<int>(std::min(batch_dim_, seq_dim_));
    const int second = static_cast<int>(std::max(batch_dim_, seq_dim_));
    loops.first = x.dim(first);
    loops.second = x.dim(second);
    for (int d = first + 1; d < second; ++d) loops.b *= x.dim(d);
    for (int d = second + 1; d < x.rank(); ++d) loops.row *= x.dim(d);
    return loops;
  }

  const int64_t seq_dim_;
  const int64_t batch_dim_;
};

CPU_KERNEL_ANY("Reverse", ReverseKernel);
CPU_KERNEL_ANY("ReverseV2", ReverseV2Kernel);
CPU_KERNEL_ANY("ReverseSequence", ReverseSequenceKernel);

}  // namespace
}  // namespace dfrun
