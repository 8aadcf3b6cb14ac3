#include "kernels/math/functions/cast.h"

#include <bit>
#include <cstring>
#include <limits>

#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/elementwise.h"

namespace dfrun {

namespace {

// A quantised integer is kept as the plain one of its size.
DType KeptAs(DType dtype) {
  switch (dtype) {
    case DType::kQint8:
      return DType::kInt8;
    case DType::kQuint8:
      return DType::kUint8;
    case DType::kQint16:
      return DType::kInt16;
    case DType::kQuint16:
      return DType::kUint16;
    case DType::kQint32:
      return DType::kInt32;
    default:
      return dtype;
  }
}

CastRun FindLoop(DType from, DType to) {
  if (CastRun run = FindCastFromInteger(from, to)) return run;
  if (CastRun run = FindCastFromReal(from, to)) return run;
  return FindCastFromComplex(from, to);
}

template <class Src, class Dst, int kBits>
void RunTruncating(const void* from_data, void* to_data, int64_t n) {
  const Src* from = static_cast<const Src*>(from_data);
  Dst* to = static_cast<Dst*>(to_data);
  for (int64_t i = 0; i < n; ++i) to[i] = CastElement<Dst>(CutMantissa<kBits>(from[i]));
}

// The loop with Truncate between two dtypes; null where TensorFlow's is the one without.
CastRun FindTruncating(DType from, DType to) {
  const auto is = [&](DType a, DType b) { return from == a && to == b; };
  if (is(DType::kDouble, DType::kFloat)) return &RunTruncating<double, float, 23>;
  if (is(DType::kDouble, DType::kHalf)) return &RunTruncating<double, float16, 10>;
  if (is(DType::kFloat, DType::kHalf)) return &RunTruncating<float, float16, 10>;
  if (is(DType::kFloat, DType::kBfloat16)) return &RunTruncating<float, bfloat16, 7>;
  if (is(DType::kComplex128, DType::kFloat)) return &RunTruncating<std::complex<double>, float, 23>;
  if (is(DType::kComplex128, DType::kHalf)) return &RunTruncating<std::complex<double>, float16, 10>;
  if (is(DType::kComplex128, DType::kComplex64)) return &RunTruncating<std::complex<double>, std::complex<float>, 23>;
  if (is(DType::kComplex64, DType::kHalf)) return &RunTruncating<std::complex<float>, float16, 10>;
  return nullptr;
}

class CastKernel : public Kernel {
 public:
  explicit CastKernel(KernelSetup& setup)
      : from_(KeptAs(setup.attr<DType>("SrcT"))), to_(KeptAs(setup.attr<DType>("DstT"))), run_(FindLoop(from_, to_)) {
    const CastRun truncating = setup.attr<bool>("Truncate") ? FindTruncating(from_, to_) : nullptr;
    if (truncating != nullptr) run_ = truncating;
    if (run_ == nullptr && from_ != to_) setup.Fail(Unimplemented("there is no Cast from ", from_, " to ", to_));
    count_ = setup.input_shape(0).num_elements();
  }
  bool IsExpensive() const override { return count_ >= kExpensiveCount; }

  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    Tensor* y = nullptr;
    DF_TRY(ctx.ForwardOrAllocate(0, 0, x.shape(), &y));
    if (from_ == to_) {
      if (!y->SharesBufferWith(x)) CopyBytes(x, *y);
      return Status();
    }
    const bool streams = !y->SharesBufferWith(x) && IsStreamed(x.num_elements(), DTypeSize(to_));
    MakeElements(ctx.pool(), y->raw(), DTypeSize(to_), x.num_elements(), streams,
                 [&](int64_t at, int64_t n, void* to) { run_(At(x.raw(), at, DTypeSize(from_)), to, n); });
    return Status();
  }

 private:
  // Copies elements of one type, or between two types that represent them alike.
  static void CopyBytes(const Tensor& x, Tensor& y) {
    if (x.dtype() == y.dtype()) return CopyElements(x, y);
    std::memcpy(y.raw(), x.raw(), x.num_bytes());
  }

  const DType from_;
  const DType to_;
  CastRun run_;
  int64_t count_ = -1;
};

CPU_KERNEL_ANY("Cast", CastKernel);

}  // namespace
}  // namespace dfrun
