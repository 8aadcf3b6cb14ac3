// Quantised activations, bias and changes of range.
#include "kernels/device/cpu_kernel.h"
#include "kernels/quantized/quantization.h"

namespace dfrun {
namespace {

using quantized::Range;

// These kernels are for fixed pairs of types.
void RequireTypes(KernelSetup& setup, std::initializer_list<std::pair<const char*, DType>> types) {
  for (const auto& [attr, dtype] : types) {
    const DType given = setup.attr<DType>(attr);
    if (given == dtype) continue;
    setup.Fail(
        Unimplemented(setup.node().op->name, " has a kernel for ", attr, " = ", dtype, " here, not for ", given));
  }
}

// max(x, 0), and with kSix min(., 6).
template <bool kSix>
struct Relu {
  template <class Q>
  class Kernel : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup& setup) { RequireTypes(setup, {{"out_type", DTypeOf<Q>}}); }
    Status Compute(OpContext& ctx) const {
      DF_ASSIGN(const Range range, quantized::RangeInput(ctx, 1));
      Tensor* y = nullptr;
      DF_TRY(ctx.AllocateOutput(0, ctx.input(0).shape(), &y));
      const Q zero = quantized::CodeOf<Q>(0, range);
      const Q six = kSix ? quantized::CodeOf<Q>(6, range) : Q{std::numeric_limits<quantized::IntegerOf<Q>>::max()};
      quantized::Map(ctx.pool(), ctx.input(0).data<Q>(), y->data<Q>(), y->num_elements(),
                     [&](Q x) { return Q{std::min(std::max(x.value, zero.value), six.value)}; });
      return quantized::PutRange(ctx, range);
    }
  };
};

struct BiasAdd {
  template <class Q>
  class Kernel : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup& setup) { RequireTypes(setup, {{"T2", DTypeOf<Q>}, {"out_type", DType::kQint32}}); }
    Status Compute(OpContext& ctx) const {
      const Tensor& x = ctx.input(0);
      const Tensor& bias = ctx.input(1);
      const int rank = x.shape().rank();
      if (rank < 2 || !(bias.shape() == Shape({x.shape()[rank - 1]})) || bias.num_elements() == 0) {
        return InvalidArgument("a bias of shape ", bias.shape(), " for an input of shape ", x.shape());
      }
      DF_ASSIGN(const Range x_range, quantized::RangeInput(ctx, 2));
      DF_ASSIGN(const Range bias_range, quantized::RangeInput(ctx, 4));
      // The range is so wide that sums stay within it, and even around 0.
      const float end = std::max({x_range.max, -x_range.min, bias_range.max, -bias_range.min}) * 131072.0F;
      const Range range{-end, end};
      Tensor* y = nullptr;
      DF_TRY(ctx.AllocateOutput(0, x.shape(), &y));
      DF_ASSIGN(Tensor added, ctx.AllocateTemp(DType::kQint32, bias.shape()));
      const quantized::ToCode<qint32> code(range);
      const quantized::ToFloat<Q> bias_value(bias_range);
      const auto zero = static_cast<uint32_t>(quantized::CodeOf<qint32>(0, range).value);
      std::transform(bias.data<Q>(), bias.data<Q>() + bias.num_elements(), added.data<qint32>(),
                     [&](Q b) { return Sum(code(bias_value(b)), zero); });
      AddRows(ctx.pool(), x, quantized::ToFloat<Q>(x_range), code, added, y->data<qint32>());
      return quantized::PutRange(ctx, range);
    }

   private:
    static qint32 Sum(qint32 a, uint32_t b) { return {static_cast<int32_t>(static_cast<uint32_t>(a.value) + b)}; }

    static void AddRows(ThreadPool& pool, const Tensor& x, const quantized::ToFloat<Q>& value,
                        const quantized::ToCode<qint32>& code, const Tensor& added, qint32* y) {
      const int64_t columns = added.num_elements();
      const int64_t rows = x.num_elements() / columns;
      pool.ParallelFor(rows, quantized::kBlock / (columns + 1) + 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin * columns; i < end * columns; i += columns) {
          for (int64_t j = 0; j < columns; ++j) {
            y[i + j] = Sum(code(value(x.data<Q>()[i + j])), static_cast<uint32_t>(added.data<qint32>()[j].value));
          }
        }
      });
    }
  };
};

// qint32 in one range as quint8 in another, in integers with 16 bits behind the point.
class FixedPoint {
 public:
  FixedPoint(const Range& from, const Range& to) {
    const float from_width = from.max - from.min;
    const float to_width = to.max - to.min;
    if (to_width == 0) return;
    const auto reciprocal = static_cast<float>(255.0 / static_cast<double>(to_width));
    const auto middle = static_cast<float>(static_cast<double>(from.min + from.max) / 2.0);
    scale_ = quantized::ToInt64(255.0 * 65536 * static_cast<double>(from_width) / static_cast<double>(to_width));
    const int64_t from_offset = quantized::ToInt64(static_cast<double>(middle * reciprocal * 65536));
    const double to_offset = std::round(65536 * (static_cast<double>(to.min) * 255.0) / static_cast<double>(to_width));
    offset_ = Sum(Sum(from_offset, -static_cast<uint64_t>(quantized::ToInt64(to_offset))), kHalf);
  }
  quint8 operator()(qint32 code) const {
    const auto product = static_cast<uint64_t>(int64_t{code.value}) * static_cast<uint64_t>(scale_);
    const int64_t steps = Sum(static_cast<int64_t>(product) >> 32, static_cast<uint64_t>(offset_)) >> 16;
    return {static_cast<uint8_t>(std::clamp<int64_t>(steps, 0, 255))};
  }

 private:
  static constexpr uint64_t kHalf = 32768;
  static int64_t Sum(int64_t a, uint64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) + b); }

  int64_t scale_ = 0;
  int64_t offset_ = static_cast<int64_t>(kHalf);
};

Status RequantizeTo(OpContext& ctx, const Range& from, const Range& to) {
  const Tensor& x = ctx.input(0);
  Tensor* y = nullptr;
  DF_TRY(ctx.AllocateOutput(0, x.shape(), &y));
  if (y->dtype() == DType::kQuint8) {
    quantized::Map(ctx.pool(), x.data<qint32>(), y->data<quint8>(), x.num_elements(), FixedPoint(from, to));
  } else {
    const quantized::ToFloat<qint32> value(from);
    const quantized::ToCode<qint8> code(to);
    quantized::Map(ctx.pool(), x.data<qint32>(), y->data<qint8>(), x.num_elements(),
                   [&](qint32 c) { return code(value(c)); });
  }
  return quantized::PutRange(ctx, to);
}

class RequantizeKernel final : public Kernel {
 public:
  explicit RequantizeKernel(KernelSetup& setup) {
    const DType to = setup.attr<DType>("out_type");
    RequireTypes(setup, {{"Tinput", DType::kQint32}});
    if (to != DType::kQuint8) RequireTypes(setup, {{"out_type", DType::kQint8}});
  }
  Status Compute(OpContext& ctx) const {
    DF_ASSIGN(const Range from, quantized::RangeInput(ctx, 1));
    DF_ASSIGN(const Range to, quantized::RangeInput(ctx, 3));
    if (to.min > 0) return InvalidArgument("the requested range begins at ", to.min, ", above 0");
    return RequantizeTo(ctx, from, to);
  }
};

class ShrinkRangeKernel final : public Kernel {
 public:
  explicit ShrinkRangeKernel(KernelSetup& setup) {
    RequireTypes(setup, {{"Tinput", DType::kQint32}, {"out_type", DType::kQuint8}});
  }
  Status Compute(OpContext& ctx) const {
    DF_ASSIGN(const Range range, quantized::RangeInput(ctx, 1));
    return RequantizeTo(ctx, range, quantized::UsedRange(ctx.input(0).values<qint32>(), range));
  }
};

class UsedRangeKernel final : public Kernel {
 public:
  explicit UsedRangeKernel(KernelSetup& setup) { RequireTypes(setup, {{"Tinput", DType::kQint32}}); }
  Status Compute(OpContext& ctx) const {
    DF_ASSIGN(const Range range, quantized::RangeInput(ctx, 1));
    const Range used = quantized::UsedRange(ctx.input(0).values<qint32>(), range);
    DF_TRY(quantized::PutScalar(ctx, 0, used.min));
    return quantized::PutScalar(ctx, 1, used.max);
  }
};

CPU_KERNEL_ATTR("QuantizedRelu", "Tinput", Relu<false>, quint8, qint32);
CPU_KERNEL_ATTR("QuantizedRelu6", "Tinput", Relu<true>, quint8, qint32);
CPU_KERNEL_ATTR("QuantizedBiasAdd", "T1", BiasAdd, quint8, qint8);
CPU_KERNEL_ANY("Requantize", RequantizeKernel);
CPU_KERNEL_ANY("QuantizeDownAndShrinkRange", ShrinkRangeKernel);
CPU_KERNEL_ANY("RequantizationRange", UsedRangeKernel);

}  // namespace
}  // namespace dfrun
