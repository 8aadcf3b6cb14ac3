#include "kernels/nn/pool/pool_kernel.h"

#include "kernels/nn/pool/window_setup.h"

namespace dfrun {
namespace {

Result<std::vector<int64_t>> ReadVector(const Tensor& input, const char* name) {
  if (input.shape().rank() != 1) return InvalidArgument("'", name, "' must be a vector, but has shape ", input.shape());
  return std::vector<int64_t>(input.data<int32_t>(), input.data<int32_t>() + input.num_elements());
}

// Comparisons or additions that are worth a thread: about 20 us.
constexpr double kBlockWork = 65536;

}  // namespace

PoolKernel::PoolKernel(KernelSetup& setup, WindowInputs windows)
    : window_(TakeWindows(setup, WindowAttrs::Read(setup.attrs()))), inputs_(windows) {}

Result<PoolShape> PoolKernel::ShapeOf(const OpContext& ctx, const Shape& input) const {
  if (inputs_.ksize < 0) return PoolShape::Of(window_, input);
  DF_ASSIGN(std::vector<int64_t> ksize, ReadVector(ctx.input(inputs_.ksize), "ksize"));
  DF_ASSIGN(std::vector<int64_t> strides, ReadVector(ctx.input(inputs_.ksize + 1), "strides"));
  DF_ASSIGN(const WindowAttrs window, window_.With(std::move(ksize), std::move(strides)));
  return PoolShape::Of(window, input);
}

Result<PoolShape> PoolKernel::ShapeOfAverages(const OpContext& ctx, Shape& input) const {
  const Tensor& sizes = ctx.input(0);
  const Tensor& dy = ctx.input(1);
  if (sizes.shape().rank() != 1) return InvalidArgument("orig_input_shape must be a vector, but is ", sizes.shape());
  const std::vector<int64_t> dims(sizes.data<int32_t>(), sizes.data<int32_t>() + sizes.num_elements());
  DF_ASSIGN(input, Shape::Create(dims));
  DF_ASSIGN(PoolShape s, ShapeOf(ctx, input));
  if (dy.shape() == s.output) return s;
  return InvalidArgument(ctx.node().op->name, ": pooling ", input, " gives ", s.output, ", but grad is ", dy.shape());
}

Result<PoolShape> PoolKernel::ShapeOfMaxPoolGradient(const OpContext& ctx, bool back) const {
  const Shape& x = ctx.input(0).shape();
  const Shape& y = ctx.input(1).shape();
  const Shape& grad = ctx.input(2).shape();
  DF_ASSIGN(PoolShape s, ShapeOf(ctx, x));
  if (y == s.output && grad == (back ? x : s.output)) return s;
  return InvalidArgument(ctx.node().op->name, ": pooling ", x, " gives ", s.output, ", but orig_output is ", y,
                         " and grad ", grad);
}

void CheckMaxPoolGradients(KernelSetup& setup, DType gradients) {
  const DType input = setup.node().inputs[0].dtype;
  if (input != gradients) setup.Fail(Unimplemented("max pooling of ", input, " with gradients of ", gradients));
}

void PoolKernel::ForImages(const PoolShape& s, ThreadPool& pool, FunctionRef<void(int64_t image)> body) {
  const double window = static_cast<double>(s.depth.size * s.height.size) * static_cast<double>(s.width.size);
  const double work = static_cast<double>(s.output_image()) * window;
  pool.ParallelFor(s.images, 1 + static_cast<int64_t>(kBlockWork / (work + 1)), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) body(i);
  });
}

}  // namespace dfrun
