#include "kernels/math/cast.h"

#include <bit>

#include "kernels/math/elementwise.h"
#include "src/framework/kernel.h"

namespace dfrun {

namespace {

CastRun FindLoop(DType from, DType to) {
  if (CastRun run = FindCastFromInteger(from, to)) return run;
  if (CastRun run = FindCastFromReal(from, to)) return run;
  return FindCastFromComplex(from, to);
}

class CastKernel : public Kernel {
 public:
  explicit CastKernel(KernelSetup& setup)
      : from_(setup.attr<DType>("SrcT")), to_(setup.attr<DType>("DstT")), run_(FindLoop(from_, to_)) {
    if (setup.attr<bool>("Truncate") && (to_ == DType::kHalf || to_ == DType::kBfloat16)) ChooseTruncating(setup);
    if (run_ == nullptr && from_ != to_) setup.Fail(Unimplemented("there is no Cast from ", from_, " to ", to_));
    count_ = setup.input_shape(0).num_elements();
  }
  bool IsExpensive() const override { return count_ >= kExpensiveCount; }

  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    Tensor* y = nullptr;
    DF_TRY(ctx.ForwardOrAllocate(0, 0, x.shape(), &y));
    if (from_ == to_) {
      if (!y->SharesBufferWith(x)) CopyElements(x, *y);
      return Status();
    }
    ctx.pool().ParallelFor(x.num_elements(), kElementBlock, [&](int64_t begin, int64_t end) {
      run_(At(x.raw(), begin, DTypeSize(from_)), At(y->raw(), begin, DTypeSize(to_)), end - begin);
    });
    return Status();
  }

 private:
  // Clears the mantissa bits that the target lacks, so that the conversion that follows is exact.
  template <class Dst, int kMantissaBits>
  static void RunTruncating(const void* from_data, void* to_data, int64_t n) {
    const float* from = static_cast<const float*>(from_data);
    Dst* to = static_cast<Dst*>(to_data);
    constexpr uint32_t kKept = ~((uint32_t{1} << (23 - kMantissaBits)) - 1);
    for (int64_t i = 0; i < n; ++i) to[i] = Dst(std::bit_cast<float>(std::bit_cast<uint32_t>(from[i]) & kKept));
  }
  void ChooseTruncating(KernelSetup& setup) {
    if (from_ != DType::kFloat) return setup.Fail(Unimplemented("Cast with Truncate is for float32, not ", from_));
    run_ = to_ == DType::kHalf ? &RunTruncating<float16, 10> : &RunTruncating<bfloat16, 7>;
  }

  const DType from_;
  const DType to_;
  CastRun run_;
  int64_t count_ = -1;
};

CPU_KERNEL_ANY("Cast", CastKernel);

}  // namespace
}  // namespace dfrun
