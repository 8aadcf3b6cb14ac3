// Helpers of the pooling kernels: they read the windows from attrs or inputs, find the shapes of a pooling, check those
// of its gradients, and give each thread some images.
#ifndef DFRUN_KERNELS_NN_POOL_POOL_KERNEL_H_
#define DFRUN_KERNELS_NN_POOL_POOL_KERNEL_H_

#include "kernels/nn/pool/pool_shape.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun {

// The source of an op's windows and strides: its attrs, or the int32 vector input `ksize` and the next input.
struct WindowInputs {
  int ksize = -1;  // -1: attrs
};
inline constexpr WindowInputs kWindowAttrs{};

class PoolKernel : public Kernel {
 public:
  PoolKernel(KernelSetup& setup, WindowInputs windows);
  bool IsExpensive() const override { return true; }
  // body(i) for every image, from several threads.
  static void ForImages(const PoolShape& s, ThreadPool& pool, FunctionRef<void(int64_t image)> body);

 protected:
  // The shape of this node's pooling over an input of shape `input`, which has at most 2^31 - 1 pixels an image.
  // InvalidArgument where they do not fit.
  Result<PoolShape> ShapeOf(const OpContext& ctx, const Shape& input) const;
  // The shape for the gradient of averages, whose input 0 holds the sizes of the pooled images; `input` receives them.
  // InvalidArgument where input 1 is no gradient of that pooling.
  Result<PoolShape> ShapeOfAverages(const OpContext& ctx, Shape& input) const;
  // The shape for a gradient of max pooling with the inputs orig_input, orig_output and grad. `back`: grad has the
  // shape of orig_input, as the second gradient has it. InvalidArgument where they do not fit.
  Result<PoolShape> ShapeOfMaxPoolGradient(const OpContext& ctx, bool back) const;

 private:
  const WindowAttrs window_;
  const WindowInputs inputs_;
};

// Refuses a gradient of max pooling whose input has another dtype than its gradients.
void CheckMaxPoolGradients(KernelSetup& setup, DType gradients);

// A pooling of images into images: kImage(shape, input image, output image).
template <class T, WindowInputs kWindows, void (*kImage)(const PoolShape&, const T*, T*)>
class ForwardPool final : public PoolKernel {
 public:
  explicit ForwardPool(KernelSetup& setup) : PoolKernel(setup, kWindows) {}

  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const PoolShape s, ShapeOf(ctx, x.shape()));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, s.output, &y));
    ForImages(s, ctx.pool(),
              [&](int64_t i) { kImage(s, x.data<T>() + i * s.input_image(), y->data<T>() + i * s.output_image()); });
    return Status();
  }
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_POOL_POOL_KERNEL_H_
