#include <array>

#include "kernels/device/cpu_kernel.h"
#include "kernels/device/shape_cache.h"
#include "kernels/gemm/gemm.h"
#include "kernels/quantized/quantization.h"

namespace dfrun {
namespace {

using quantized::Range;

// The codes less the code of 0, as 32-bit integers.
Result<Tensor> Shifted(OpContext& ctx, int i, const Range& range) {
  const auto zero = static_cast<uint32_t>(quantized::UnclampedCode<quint8>(0, range));
  DF_ASSIGN(Tensor shifted, ctx.AllocateTemp(DType::kInt32, ctx.input(i).shape()));
  quantized::Map(ctx.pool(), ctx.input(i).data<quint8>(), shifted.data<int32_t>(), shifted.num_elements(),
                 [&](quint8 code) { return static_cast<int32_t>(uint32_t{code.value} - zero); });
  return shifted;
}

class QuantizedMatMulKernel final : public Kernel {
 public:
  explicit QuantizedMatMulKernel(KernelSetup& setup)
      : transpose_a_(setup.attr<bool>("transpose_a")), transpose_b_(setup.attr<bool>("transpose_b")) {
    if (setup.attr<DType>("T1") != DType::kQuint8 || setup.attr<DType>("T2") != DType::kQuint8 ||
        setup.attr<DType>("Toutput") != DType::kQint32) {
      setup.Fail(Unimplemented("QuantizedMatMul multiplies quint8 by quint8 to qint32 here, nothing else"));
    }
  }
  bool IsExpensive() const override { return true; }

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const GemmShape shape, Match(ctx.input(0).shape(), ctx.input(1).shape()));
    DF_ASSIGN(const Range a_range, OrderedRange(ctx, 2));
    DF_ASSIGN(const Range b_range, OrderedRange(ctx, 4));
    DF_ASSIGN(const Tensor a, Shifted(ctx, 0, a_range));
    DF_ASSIGN(const Tensor b, Shifted(ctx, 1, b_range));
    DF_ASSIGN(const Shape c_shape, Shape::Create(std::array<int64_t, 2>{shape.m, shape.n}));
    Tensor* c = nullptr;
    DF_TRY(ctx.AllocateOutput(0, c_shape, &c));
    DF_ASSIGN(const auto gemm, plans_.Get(shape, [&] { return Gemm<int32_t>::Create(shape); }));
    DF_TRY(
        gemm->Run(a.data<int32_t>(), b.data<int32_t>(), static_cast<int32_t*>(c->raw()), ctx.pool(), ctx.allocator()));
    return quantized::PutRange(ctx, ProductRange(a_range, b_range));
  }

 private:
  Result<GemmShape> Match(const Shape& a, const Shape& b) const {
    if (a.rank() != 2 || b.rank() != 2 || a[transpose_a_ ? 0 : 1] != b[transpose_b_ ? 1 : 0]) {
      return InvalidArgument("matrices of shapes ", a, " and ", b, " cannot be multiplied");
    }
    return GemmShape{a[transpose_a_ ? 1 : 0], a[transpose_a_ ? 0 : 1], b[transpose_b_ ? 0 : 1], transpose_a_,
                     transpose_b_};
  }

  static Result<Range> OrderedRange(const OpContext& ctx, int i) {
    DF_ASSIGN(const Range range, quantized::RangeInput(ctx, i));
    if (range.max > range.min) return range;
    return InvalidArgument("the range [", range.min, ", ", range.max, "] of inputs ", i, " and ", i + 1, " is empty");
  }

  // The range of 32-bit integers whose step is the product of the operands' steps.
  static Range ProductRange(const Range& a, const Range& b) {
    const auto step = [](const Range& range) { return (range.max - range.min) / 255; };
    const float product = step(a) * step(b);
    return {product * static_cast<float>(INT32_MIN), product * static_cast<float>(INT32_MAX)};
  }

  const bool transpose_a_;
  const bool transpose_b_;
  ShapeCache<GemmShape, Gemm<int32_t>> plans_;
};

CPU_KERNEL_ANY("QuantizedMatMul", QuantizedMatMulKernel);

}  // namespace
}  // namespace dfrun
