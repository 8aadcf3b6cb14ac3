// Conv<T>::Create of every T.
#include "kernels/device/onednn_units.h"
#include "kernels/math/functions/element.h"
#include "kernels/math/functions/widen.h"
#include "kernels/nn/conv/conv_by_flipped_filter.h"
#include "kernels/nn/conv/depthwise_conv.h"
#include "kernels/nn/conv/im2col_conv.h"
#include "kernels/nn/conv/kn2row_conv.h"
#include "kernels/nn/conv/kn2row_filter_grad.h"
#include "kernels/nn/conv/onednn_conv.h"
#include "kernels/nn/conv/small_cin_conv.h"

namespace dfrun {
namespace {

// 16-bit operands are widened, and the result is rounded once.
template <class T>
class WidenedConv final : public Conv<T> {
 public:
  WidenedConv(ConvKind kind, const ConvShape& shape, std::shared_ptr<const Conv<float>> conv) : conv_(std::move(conv)) {
    const int64_t input = shape.images * shape.input_image();
    const int64_t output = shape.images * shape.output_image();
    const bool is_filter = kind == ConvKind::kBackpropFilter;
    a_ = kind == ConvKind::kBackpropInput ? output : input;
    b_ = is_filter ? output : shape.filter_size();
    result_ = is_filter ? shape.filter_size() : kind == ConvKind::kForward ? output : input;
  }

  Status Run(const T* a, const T* b, T* result, ThreadPool& pool, Allocator& allocator) const override {
    DF_ASSIGN(const Tensor wide_a, Widened(a, a_, pool, allocator));
    DF_ASSIGN(const Tensor wide_b, Widened(b, b_, pool, allocator));
    DF_ASSIGN(Tensor wide, Tensor::Allocate(allocator, DType::kFloat, Shape({result_})));
    DF_TRY(conv_->Run(wide_a.data<float>(), wide_b.data<float>(), wide.data<float>(), pool, allocator));
    ConvertElements(wide.data<float>(), result_, result, pool);
    return Status();
  }

 private:
  const std::shared_ptr<const Conv<float>> conv_;
  int64_t a_ = 0;
  int64_t b_ = 0;
  int64_t result_ = 0;
};

template <class T>
Result<std::shared_ptr<const Conv<T>>> Widen(ConvKind kind, const ConvShape& shape) {
  DF_ASSIGN(std::shared_ptr<const Conv<float>> conv, Conv<float>::Create(kind, shape));
  return std::shared_ptr<const Conv<T>>(std::make_shared<WidenedConv<T>>(kind, shape, std::move(conv)));
}

// The gradient by an input of a few channels last, for which oneDNN's kernels take 2 to 4 times as long as products
// with unfolded windows (3 channels from 64, 1 from 32).
bool IsGradientOfFewChannels(ConvKind kind, const ConvShape& s) {
  return kind == ConvKind::kBackpropInput && s.in_channels <= 4 && s.groups == 1 && !s.format.channels_first;
}

// Whether oneDNN would write past its scratch memory: for the filter's gradient of a strided convolution with one tap,
// channels last and fewer input channels than its kernels take at once, 8 with AVX2 and 16 with AVX-512.
// Source: https://github.com/uxlfoundation/oneDNN/issues/6035.
bool OverrunsScratch(ConvKind kind, const ConvShape& s) {
  return kind == ConvKind::kBackpropFilter && s.taps() == 1 && s.is_strided() && s.group_inputs() < 16 &&
         !s.format.channels_first;
}

// Makes a convolution without the library.
template <class T>
std::shared_ptr<const Conv<T>> MakeOwnConv(ConvKind kind, const ConvShape& shape) {
  auto conv = MakeDepthwiseConv<T>(kind, shape);
  return conv != nullptr ? conv : MakeIm2colConv<T>(kind, shape);
}

}  // namespace

template <>
Result<std::shared_ptr<const Conv<float>>> Conv<float>::Create(ConvKind kind, const ConvShape& shape) {
  if (kind == ConvKind::kForward) {
    if (auto small_cin = MakeSmallCinConv(shape)) return small_cin;
  }
  if (IsGradientOfFewChannels(kind, shape)) return MakeIm2colConv<float>(kind, shape);
  if (kind == ConvKind::kBackpropFilter) {
    if (auto products = MakeKn2rowFilterGrad(shape)) return products;
  } else if (auto products = MakeKn2rowConv(kind, shape)) {
    return products;
  }
  if (kind == ConvKind::kBackpropInput) {
    if (auto flipped = MakeConvByFlippedFilter(shape)) return flipped;
  }
  if (OverrunsScratch(kind, shape)) return MakeOwnConv<float>(kind, shape);
  auto conv = MakeOneDnnConv<float>(kind, shape);
  return conv.ok() ? conv : MakeOwnConv<float>(kind, shape);
}

template <>
Result<std::shared_ptr<const Conv<bfloat16>>> Conv<bfloat16>::Create(ConvKind kind, const ConvShape& shape) {
  // The partial sums of a filter's gradient are rounded once only where they are kept in float.
  if (kind != ConvKind::kBackpropFilter && OneDnnMultipliesBfloat16()) {
    auto conv = MakeOneDnnConv<bfloat16>(kind, shape);
    if (conv.ok()) return conv;
  }
  return Widen<bfloat16>(kind, shape);
}

template <>
Result<std::shared_ptr<const Conv<float16>>> Conv<float16>::Create(ConvKind kind, const ConvShape& shape) {
  return Widen<float16>(kind, shape);
}

template <>
Result<std::shared_ptr<const Conv<double>>> Conv<double>::Create(ConvKind kind, const ConvShape& shape) {
  return MakeOwnConv<double>(kind, shape);
}

template <>
Result<std::shared_ptr<const Conv<int32_t>>> Conv<int32_t>::Create(ConvKind kind, const ConvShape& shape) {
  return MakeIm2colConv<int32_t>(kind, shape);
}

}  // namespace dfrun
