#include "kernels/array/move/reverse.h"

#include <algorithm>
#include <vector>

#include "kernels/array/copy/movement_cpu.h"
#include "kernels/array/move/reverse_sequence.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

class ReverseSequenceKernel : public ReverseSequenceBase {
 public:
  using ReverseSequenceBase::ReverseSequenceBase;
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const SequenceLoops loops, MakeLoops(x.shape(), ctx.input(1).shape()));
    const std::vector<int64_t> lengths = IntValues(ctx.input(1));
    for (int64_t length : lengths) {
      if (length < 0 || length > LongestOf(x.shape()))
        return InvalidArgument("the sequence length ", length, " is not within dimension ", seq_dim(), " of ",
                               x.shape());
    }
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, x.shape(), &y));
    if (x.num_elements() == 0) return Status();
    VisitElement(x.dtype(), [&](auto tag) {
      using E = typename decltype(tag)::type;
      const E* from = static_cast<const E*>(x.raw());
      E* to = static_cast<E*>(y->raw());
      ctx.pool().ParallelFor(
          x.num_elements() / loops.row, kCopyBlock / std::min(kCopyBlock, loops.row), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
              const int64_t source = loops.Source(i, lengths[static_cast<size_t>(loops.Sequence(i))]);
              std::copy_n(from + source * loops.row, loops.row, to + i * loops.row);
            }
          });
    });
    return Status();
  }
};

CPU_KERNEL_ANY("Reverse", ReverseKernel<cpu::Movement>);
CPU_KERNEL_ANY("ReverseV2", ReverseV2Kernel<cpu::Movement>);
CPU_KERNEL_ANY("ReverseSequence", ReverseSequenceKernel);

}  // namespace
}  // namespace dfrun
