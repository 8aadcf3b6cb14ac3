#include "kernels/array/copy/movement_cuda.h"
#include "kernels/array/copy/pick_cuda.h"
#include "kernels/array/move/reverse_sequence.h"

namespace dfrun {
namespace {

template <class Length>
struct ReversedSource {
  SequenceLoops loops;
  const Length* lengths;
  int64_t longest;
  int32_t* error_flag;
  DF_DEVICE_FUNCTION int64_t operator()(int64_t i) const {
    const int64_t row = i / loops.row;
    const auto length = static_cast<int64_t>(lengths[loops.Sequence(row)]);
    if (length < 0 || length > longest) {
      *error_flag = 1;
      return -1;
    }
    return loops.Source(row, length) * loops.row + (i - row * loops.row);
  }
};

class ReverseSequenceKernel : public ReverseSequenceBase {
 public:
  explicit ReverseSequenceKernel(KernelSetup& setup)
      : ReverseSequenceBase(setup),
        error_flag_(setup, "a sequence length is not within the dimension of the sequences") {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const SequenceLoops loops, MakeLoops(x.shape(), ctx.input(1).shape()));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, x.shape(), &y));
    Status status;
    VisitDType<int32_t, int64_t>(ctx.input(1).dtype(), [&](auto tag) {
      using Length = typename decltype(tag)::type;
      status = cuda::Pick(
          ctx, x.raw(), *y,
          ReversedSource<Length>{loops, ctx.input(1).data<Length>(), LongestOf(x.shape()), error_flag_.word()});
    });
    return status;
  }

 private:
  const cuda::DeviceErrorFlag error_flag_;
};

CUDA_KERNEL("ReverseSequence", cuda::ByBytes<ReverseSequenceKernel>, DF_PLAIN);

}  // namespace
}  // namespace dfrun
