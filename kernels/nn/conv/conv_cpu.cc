#include <algorithm>

#include "kernels/device/cpu_kernel.h"
#include "kernels/device/shape_cache.h"
#include "kernels/nn/conv/conv.h"
#include "kernels/nn/conv/conv_epilogue.h"
#include "kernels/nn/conv/conv_inputs.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

template <ConvKind kKind, MakeConvShape kMakeShape, class T, template <class> class Finish>
class ConvKernel final : public ConvInputsKernel<kKind> {
 public:
  explicit ConvKernel(KernelSetup& setup) : ConvInputsKernel<kKind>(setup, kMakeShape), finish_(setup) {
    if (kKind == ConvKind::kForward && setup.status().ok()) Prepare(setup);
  }

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const ConvShape shape, this->ReadShape(ctx));
    if constexpr (Finish<T>::kKind == EpilogueKind::kTakes) {
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
    DF_ASSIGN(const Shape result_shape, this->ResultShape(shape, ctx));
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
    if constexpr (Finish<T>::kKind == EpilogueKind::kChanges) {
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
    Result<ConvShape> shape = kMakeShape(this->window(), *input, *filter);
    if (!shape.ok()) {
      setup.Fail(shape.status());
    } else if (input->num_elements() > 0 && filter->num_elements() > 0) {
      const Status status = PlanFor(*shape).status();
      if (!status.ok()) setup.Fail(status);
    }
  }

  const Finish<T> finish_;
  ShapeCache<ConvShape, Conv<T>> plans_;
};

template <ConvKind kKind, MakeConvShape kMakeShape, template <class> class Finish = NoEpilogue>
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
