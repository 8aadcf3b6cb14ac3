// Conv<T>::Create of every T.
#include "kernels/math/element.h"
#include "kernels/nn/onednn_conv.h"
#include "kernels/nn/unfolded_conv.h"
#include "src/framework/tensor.h"

namespace dfrun {
namespace {

// 16-bit operands are widened, and the result is rounded once.
template <class T>
class WidenedConv final : public Conv<T> {
 public:
  WidenedConv(ConvKind kind, const ConvShape& shape, std::shared_ptr<const Conv<float>> conv) : conv_(std::move(conv)) {
    const Shape input = shape.input();
    const Shape output = shape.output();
    const bool is_forward = kind == ConvKind::kForward;
    const bool is_filter = kind == ConvKind::kBackpropFilter;
    a_ = (kind == ConvKind::kBackpropInput ? output : input).num_elements();
    b_ = (is_filter ? output : shape.filter()).num_elements();
    result_ = (is_filter ? shape.filter() : is_forward ? output : input).num_elements();
  }

  Status Run(const T* a, const T* b, T* result, ThreadPool& pool, Allocator& allocator) const override {
    DF_ASSIGN(const Tensor wide_a, Widen(a, a_, allocator));
    DF_ASSIGN(const Tensor wide_b, Widen(b, b_, allocator));
    DF_ASSIGN(Tensor wide, Tensor::Allocate(allocator, DType::kFloat, Shape({result_})));
    DF_TRY(conv_->Run(wide_a.data<float>(), wide_b.data<float>(), wide.data<float>(), pool, allocator));
    for (int64_t i = 0; i < result_; ++i) result[i] = static_cast<T>(wide.data<float>()[i]);
    return Status();
  }

 private:
  static Result<Tensor> Widen(const T* from, int64_t count, Allocator& allocator) {
    DF_ASSIGN(Tensor wide, Tensor::Allocate(allocator, DType::kFloat, Shape({count})));
    for (int64_t i = 0; i < count; ++i) wide.data<float>()[i] = static_cast<float>(from[i]);
    return wide;
  }

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

}  // namespace

template <>
Result<std::shared_ptr<const Conv<float>>> Conv<float>::Create(ConvKind kind, const ConvShape& shape) {
  auto conv = MakeOneDnnConv<float>(kind, shape);
  return conv.ok() ? conv : MakeUnfoldedConv<float>(kind, shape);
}

template <>
Result<std::shared_ptr<const Conv<bfloat16>>> Conv<bfloat16>::Create(ConvKind kind, const ConvShape& shape) {
  // The partial sums of a filter's gradient are rounded once only where they are kept in float.
  if (kind != ConvKind::kBackpropFilter) {
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
  return MakeUnfoldedConv<double>(kind, shape);
}

template <>
Result<std::shared_ptr<const Conv<int32_t>>> Conv<int32_t>::Create(ConvKind kind, const ConvShape& shape) {
  return MakeUnfoldedConv<int32_t>(kind, shape);
}

}  // namespace dfrun
