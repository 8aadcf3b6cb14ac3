#include <algorithm>

#include "kernels/device/shape_cache.h"
#include "kernels/nn/conv.h"
#include "src/framework/kernel.h"

namespace dfrun {
namespace {

// Which inputs of each kind of op are what: the operands in Conv's order, and where the result's shape comes from.
struct ConvInputs {
  int a;
  int b;
  int sizes;  // -1: the result's shape follows from the operands
};
constexpr ConvInputs InputsOf(ConvKind kind) {
  switch (kind) {
    case ConvKind::kForward:
      return {0, 1, -1};
    case ConvKind::kBackpropInput:
      return {2, 1, 0};
    default:
      return {0, 2, 1};
  }
}

// The shape that an int32 or int64 vector holds.
Result<Shape> ReadSizes(const Tensor& sizes) {
  std::vector<int64_t> dims;
  VisitDType<int32_t, int64_t>(sizes.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    dims.assign(sizes.data<T>(), sizes.data<T>() + sizes.num_elements());
  });
  if (sizes.shape().rank() != 1 || dims.size() != 4) {
    return InvalidArgument("the sizes of a convolution must be a vector of 4, but have shape ", sizes.shape());
  }
  return Shape::Create(dims);
}

template <ConvKind kKind, class T>
class ConvKernel final : public Kernel {
 public:
  explicit ConvKernel(KernelSetup& setup) {
    Result<WindowAttrs> window = WindowAttrs::Read(setup.attrs());
    if (!window.ok()) {
      setup.Fail(window.status());
      return;
    }
    window_ = *std::move(window);
    if constexpr (kKind == ConvKind::kForward) Prepare(setup);
  }

  Status Compute(OpContext& ctx) {
    const Tensor& a = ctx.input(kInputs.a);
    const Tensor& b = ctx.input(kInputs.b);
    DF_ASSIGN(const ConvShape shape, ReadShape(ctx));
    Tensor* result = nullptr;
    DF_TRY(ctx.AllocateOutput(0, ResultShape(shape), &result));
    if (result->num_elements() == 0) return Status();
    if (a.num_elements() == 0 || b.num_elements() == 0) {
      std::fill_n(result->data<T>(), result->num_elements(), T(0.0F));
      return Status();
    }
    DF_ASSIGN(const std::shared_ptr<const Conv<T>> conv, PlanFor(shape));
    return conv->Run(a.data<T>(), b.data<T>(), result->data<T>(), ctx.pool(), ctx.allocator());
  }

  bool IsExpensive() const override { return true; }

 private:
  static constexpr ConvInputs kInputs = InputsOf(kKind);

  Result<std::shared_ptr<const Conv<T>>> PlanFor(const ConvShape& shape) {
    return plans_.Get(shape, [&] { return Conv<T>::Create(kKind, shape); });
  }

  // Makes the primitives now, not in the first step, where both shapes are static.
  void Prepare(KernelSetup& setup) {
    Result<Shape> input = setup.input_shape(0).ToShape();
    Result<Shape> filter = setup.input_shape(1).ToShape();
    if (!input.ok() || !filter.ok()) return;
    Result<ConvShape> shape = ConvShape::Of(window_, *input, *filter);
    if (!shape.ok()) {
      setup.Fail(shape.status());
    } else if (input->num_elements() > 0 && filter->num_elements() > 0) {
      const Status status = PlanFor(*shape).status();
      if (!status.ok()) setup.Fail(status);
    }
  }

  // The convolution whose product this is; InvalidArgument where out_backprop is not of its output's shape.
  Result<ConvShape> ReadShape(const OpContext& ctx) const {
    if constexpr (kKind == ConvKind::kForward) {
      return ConvShape::Of(window_, ctx.input(0).shape(), ctx.input(1).shape());
    } else {
      DF_ASSIGN(const Shape sizes, ReadSizes(ctx.input(kInputs.sizes)));
      constexpr bool kIsInput = kKind == ConvKind::kBackpropInput;
      DF_ASSIGN(const ConvShape shape, ConvShape::Of(window_, kIsInput ? sizes : ctx.input(0).shape(),
                                                     kIsInput ? ctx.input(1).shape() : sizes));
      if (!(shape.output() == ctx.input(2).shape())) {
        return InvalidArgument(ctx.node().op->name, ": out_backprop has shape ", ctx.input(2).shape(),
                               ", but the convolution of ", shape.input(), " with ", shape.filter(), " has ",
                               shape.output());
      }
      return shape;
    }
  }

  static Shape ResultShape(const ConvShape& shape) {
    if constexpr (kKind == ConvKind::kForward) return shape.output();
    return kKind == ConvKind::kBackpropInput ? shape.input() : shape.filter();
  }

  WindowAttrs window_;
  ShapeCache<ConvShape, Conv<T>> plans_;
};

template <ConvKind kKind>
struct Convolution {
  template <class T>
  using Kernel = ConvKernel<kKind, T>;
};

CPU_KERNEL("Conv2D", Convolution<ConvKind::kForward>, bfloat16, float16, float, double, int32_t);
CPU_KERNEL("Conv2DBackpropInput", Convolution<ConvKind::kBackpropInput>, bfloat16, float16, float, double, int32_t);
CPU_KERNEL("Conv2DBackpropFilter", Convolution<ConvKind::kBackpropFilter>, bfloat16, float16, float, double);

}  // namespace
}  // namespace dfrun
