#include <algorithm>

#include "kernels/device/cpu_kernel.h"
#include "kernels/device/shape_cache.h"
#include "kernels/nn/conv.h"
#include "kernels/nn/conv_finish.h"
#include "src/framework/element_types.h"

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
Result<Shape> ReadSizes(const Tensor& sizes, int rank) {
  std::vector<int64_t> dims;
  VisitDType<int32_t, int64_t>(sizes.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    dims.assign(sizes.data<T>(), sizes.data<T>() + sizes.num_elements());
  });
  if (sizes.shape().rank() != 1 || dims.size() != static_cast<size_t>(rank)) {
    return InvalidArgument("the sizes of a convolution must be a vector of ", rank, ", but have shape ", sizes.shape());
  }
  return Shape::Create(dims);
}

// What the sizes of a convolution are made of: those of input and filter.
using MakeConvShape = Result<ConvShape> (*)(const WindowAttrs&, const Shape& input, const Shape& filter);

template <ConvKind kKind, MakeConvShape kMakeShape, class T, template <class> class Finish>
class ConvKernel final : public Kernel {
 public:
  explicit ConvKernel(KernelSetup& setup) : finish_(setup) {
    Result<WindowAttrs> window = WindowAttrs::Read(setup.attrs());
    if (!window.ok()) {
      setup.Fail(window.status());
      return;
    }
    window_ = *std::move(window);
    if constexpr (kKind == ConvKind::kForward) Prepare(setup);
  }

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const ConvShape shape, ReadShape(ctx));
    if constexpr (Finish<T>::kKind == FinishKind::kTakes) {
      return ComputeTaken(ctx, shape);
    } else {
      return ComputeWhole(ctx, shape);
    }
  }

  bool IsExpensive() const override { return true; }

 private:
  static constexpr ConvInputs kInputs = InputsOf(kKind);

  Status ComputeWhole(OpContext& ctx, const ConvShape& shape) {
    const Tensor& a = ctx.input(kInputs.a);
    const Tensor& b = ctx.input(kInputs.b);
    Tensor* result = nullptr;
    DF_ASSIGN(const Shape result_shape, ResultShape(shape, ctx));
    DF_TRY(ctx.AllocateOutput(0, result_shape, &result));
    DF_ASSIGN(auto finish, finish_.Begin(ctx, shape, result->data<T>()));
    if (result->num_elements() == 0) return Status();
    const int64_t pixels = shape.images * shape.out_pixels();
    if (a.num_elements() == 0 || b.num_elements() == 0) {
      std::fill_n(result->data<T>(), result->num_elements(), T(0.0F));
      finish.At(0, pixels);
      finish.End(ctx.pool());
      return Status();
    }
    DF_ASSIGN(const std::shared_ptr<const Conv<T>> conv, PlanFor(shape));
    if constexpr (Finish<T>::kKind == FinishKind::kChanges) {
      const auto finish_pixels = [&](int64_t first, int64_t count) { finish.At(first, count); };
      DF_TRY(conv->RunAndFinish(a.data<T>(), b.data<T>(), result->data<T>(), pixels, finish_pixels, ctx.pool(),
                                ctx.allocator()));
      finish.End(ctx.pool());
      return Status();
    }
    return conv->Run(a.data<T>(), b.data<T>(), result->data<T>(), ctx.pool(), ctx.allocator());
  }

  Status ComputeTaken(OpContext& ctx, const ConvShape& shape) {
    const Tensor& a = ctx.input(kInputs.a);
    const Tensor& b = ctx.input(kInputs.b);
    DF_ASSIGN(const auto finish, finish_.Begin(ctx, shape));
    if (shape.images * shape.output_image() == 0) return Status();
    const auto take = [&](int64_t first, int64_t count, const T* values) { finish.Take(first, count, values); };
    if (a.num_elements() > 0 && b.num_elements() > 0) {
      DF_ASSIGN(const std::shared_ptr<const Conv<T>> conv, PlanFor(shape));
      return conv->RunAndTake(a.data<T>(), b.data<T>(), shape.images, shape.output_image(), take, ctx.pool(),
                              ctx.allocator());
    }
    const std::vector<T> zeros(static_cast<size_t>(shape.output_image()), T(0.0F));
    for (int64_t i = 0; i < shape.images; ++i) take(i, 1, zeros.data());
    return Status();
  }

  Result<std::shared_ptr<const Conv<T>>> PlanFor(const ConvShape& shape) {
    return plans_.Get(shape, [&] { return Conv<T>::Create(kKind, shape); });
  }

  // Makes the primitives now, not in the first step, where both shapes are static.
  void Prepare(KernelSetup& setup) {
    Result<Shape> input = setup.input_shape(0).ToShape();
    Result<Shape> filter = setup.input_shape(1).ToShape();
    if (!input.ok() || !filter.ok()) return;
    Result<ConvShape> shape = kMakeShape(window_, *input, *filter);
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
      return kMakeShape(window_, ctx.input(0).shape(), ctx.input(1).shape());
    } else {
      DF_ASSIGN(const Shape sizes, Sizes(ctx));
      constexpr bool kIsInput = kKind == ConvKind::kBackpropInput;
      const Shape& other = ctx.input(kIsInput ? 1 : 0).shape();
      DF_ASSIGN(const ConvShape shape, kMakeShape(window_, kIsInput ? sizes : other, kIsInput ? other : sizes));
      if (!(shape.output() == ctx.input(2).shape())) {
        return InvalidArgument(ctx.node().op->name, ": out_backprop has shape ", ctx.input(2).shape(),
                               ", but the convolution of ", shape.input(), " with ", kIsInput ? other : sizes, " has ",
                               shape.output());
      }
      return shape;
    }
  }

  // The shape that the sizes input gives. For the input of a flat convolution it may be height and width alone.
  Result<Shape> Sizes(const OpContext& ctx) const {
    const Tensor& sizes = ctx.input(kInputs.sizes);
    const ImageFormat& format = window_.format();
    const Shape& dy = ctx.input(2).shape();
    const Shape& filter = ctx.input(1).shape();
    if (kKind == ConvKind::kBackpropInput && format.spatial == 2 && sizes.num_elements() == 2 && dy.rank() == 4 &&
        filter.rank() == 4) {
      DF_ASSIGN(const Shape plane, ReadSizes(sizes, 2));
      return format.MakeShape(dy[0], filter[2], 1, plane[0], plane[1]);
    }
    return ReadSizes(sizes, format.rank());
  }

  Result<Shape> ResultShape(const ConvShape& shape, const OpContext& ctx) const {
    if constexpr (kKind == ConvKind::kForward) return shape.output();
    if constexpr (kKind == ConvKind::kBackpropInput) return shape.input();
    return Sizes(ctx);
  }

  const Finish<T> finish_;
  WindowAttrs window_;
  ShapeCache<ConvShape, Conv<T>> plans_;
};

template <ConvKind kKind, MakeConvShape kMakeShape, template <class> class Finish = NoFinish>
struct Convolution {
  template <class T>
  using Kernel = ConvKernel<kKind, kMakeShape, T, Finish>;
};
using Fused = Convolution<ConvKind::kForward, &ConvShape::Of, BiasAndActivation>;
using FusedAndPooled = Convolution<ConvKind::kForward, &ConvShape::Of, BiasActivationAndMaxPool>;
using FusedWithArgmax = Convolution<ConvKind::kForward, &ConvShape::Of, PoolingWithArgmax>;
template <ConvKind kKind>
using Dense = Convolution<kKind, &ConvShape::Of>;
template <ConvKind kKind>
using Depthwise = Convolution<kKind, &ConvShape::OfDepthwise>;

CPU_KERNEL("Conv2D", Dense<ConvKind::kForward>, DF_FLOATS, int32_t);
CPU_KERNEL("_FusedConv2D", Fused, DF_FLOATS);
CPU_KERNEL("_FusedConv2DMaxPool", FusedAndPooled, float);
CPU_KERNEL("_FusedConv2DMaxPoolWithArgmax", FusedWithArgmax, float);
CPU_KERNEL("Conv2DBackpropInput", Dense<ConvKind::kBackpropInput>, DF_FLOATS, int32_t);
CPU_KERNEL("Conv2DBackpropFilter", Dense<ConvKind::kBackpropFilter>, DF_FLOATS);
CPU_KERNEL("Conv3D", Dense<ConvKind::kForward>, DF_FLOATS);
CPU_KERNEL("Conv3DBackpropInputV2", Dense<ConvKind::kBackpropInput>, DF_FLOATS);
CPU_KERNEL("Conv3DBackpropFilterV2", Dense<ConvKind::kBackpropFilter>, DF_FLOATS);
CPU_KERNEL("DepthwiseConv2dNative", Depthwise<ConvKind::kForward>, DF_FLOATS);
CPU_KERNEL("DepthwiseConv2dNativeBackpropInput", Depthwise<ConvKind::kBackpropInput>, DF_FLOATS);
CPU_KERNEL("DepthwiseConv2dNativeBackpropFilter", Depthwise<ConvKind::kBackpropFilter>, DF_FLOATS);

}  // namespace
}  // namespace dfrun
