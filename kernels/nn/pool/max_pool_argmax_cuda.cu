// Max pooling on GPUs that outputs the numbers of the largest elements, and its gradient, which takes them.
#include <type_traits>

#include "kernels/math/functions/reducers.h"
#include "kernels/nn/pool/numbered_pool.h"
#include "kernels/nn/pool/pool_cuda.h"
#include "src/framework/kernel/kernel_of.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

using cuda::GpuPixel;
using cuda::GpuPool;
using cuda::GpuWindow;

// Numbers in memory, int32 or int64, those of an image from `image` times its own number on.
struct GpuNumbers {
  void* data;
  bool is_wide;
  int64_t of_image;

  DF_HOST_DEVICE void Set(int64_t i, int64_t number) const {
    if (is_wide) {
      static_cast<int64_t*>(data)[i] = number;
    } else {
      static_cast<int32_t*>(data)[i] = static_cast<int32_t>(number);
    }
  }
  // The number within image `image`; negative, or its size or more, where it is not one of the image's.
  DF_HOST_DEVICE int64_t Get(int64_t i, int64_t image) const {
    const int64_t number = is_wide ? static_cast<const int64_t*>(data)[i] : static_cast<const int32_t*>(data)[i];
    return static_cast<int64_t>(static_cast<uint64_t>(number) - static_cast<uint64_t>(image * of_image));
  }
};

template <class T>
DF_DEVICE_KERNEL void LargestAndNumbers(GpuPool p, const T* x, T* y, GpuNumbers numbers, int64_t n) {
  using C = ComputeType<T>;
  const int64_t i = cuda::GlobalThreadId();
  if (i >= n) return;
  const GpuPixel at = p.Output(i);
  const T* const image = x + at.image * p.input_image + at.channel;
  C largest = C();
  int64_t index = -1;
  GpuWindow::Of(p, at.plane, at.row, at.column).ForPixels(p, [&](int64_t pixel) {
    const C value = static_cast<C>(image[pixel * p.channels]);
    if (index >= 0 && !(value > largest)) return;
    largest = value;
    index = pixel;
  });
  y[i] = static_cast<T>(largest);
  numbers.Set(i, at.image * numbers.of_image + (index < 0 ? 0 : index * p.channels + at.channel));
}

// Sets `*strays` to 1 if a number is that of an element outside of its own window; pooling gives no such number.
DF_DEVICE_KERNEL void FindStrays(GpuPool p, GpuNumbers numbers, int32_t* strays, int32_t* error_flag, int64_t n) {
  const int64_t i = cuda::GlobalThreadId();
  if (i >= n) return;
  const GpuPixel at = p.Output(i);
  const int64_t number = numbers.Get(i, at.image);
  if (number < 0 || number >= p.input_image) {
    *error_flag = 1;
    return;
  }
  const GpuPixel in = p.Input(number);
  const GpuWindow window = GpuWindow::Of(p, at.plane, at.row, at.column);
  const bool is_own = in.channel == at.channel && window.planes.Has(in.plane) && window.rows.Has(in.row) &&
                      window.columns.Has(in.column);
  if (!is_own) *strays = 1;
}

// The gradient. A thread has an element of the input: it adds up the gradients whose number names the element, of the
// windows that it is in or, where there are strays, of the whole image.
template <class T>
DF_DEVICE_KERNEL void GradientsByNumber(GpuPool p, const T* dy, GpuNumbers numbers, const int32_t* strays, T* dx,
                                        int64_t n) {
  using Sum = typename std::conditional_t<std::is_integral_v<T>, red::WideOf<T>, ComputeTypeOf<T>>::type;
  const int64_t i = cuda::GlobalThreadId();
  if (i >= n) return;
  const GpuPixel at = p.Input(i);
  const int64_t mine = i - at.image * p.input_image;
  const int64_t image = at.image * p.output_image;
  Sum sum = 0;
  const auto add = [&](int64_t output) {
    if (numbers.Get(image + output, at.image) != mine) return;
    sum += static_cast<Sum>(static_cast<ComputeType<T>>(dy[image + output]));
  };
  if (*strays == 0) {
    p.ForWindowsOver(at, [&](const GpuWindow&, int64_t pixel) { add(pixel * p.channels + at.channel); });
  } else {
    for (int64_t output = 0; output < p.output_image; ++output) add(output);
  }
  dx[i] = static_cast<T>(sum);
}

template <class T>
class ArgmaxPool final : public NumberedPool {
 public:
  using NumberedPool::NumberedPool;
  Status Compute(OpContext& ctx) {
    Tensor* y = nullptr;
    Tensor* argmax = nullptr;
    DF_ASSIGN(const PoolShape s, MakeOutputs(ctx, y, argmax));
    const GpuNumbers numbers = {argmax->raw(), argmax->dtype() == DType::kInt64, NumbersOfImage(s)};
    const int64_t n = y->num_elements();
    return cuda::Launch(ctx, n, &LargestAndNumbers<T>, GpuPool(s), ctx.input(0).data<T>(), y->data<T>(), numbers, n);
  }
};

// input, grad, argmax.
template <class T>
class ArgmaxPoolGrad final : public NumberedPool {
 public:
  explicit ArgmaxPoolGrad(KernelSetup& setup)
      : NumberedPool(setup), error_flag_(setup, "argmax names an element outside its image") {}
  Status Compute(OpContext& ctx) {
    const Tensor& dy = ctx.input(1);
    const Tensor& argmax = ctx.input(2);
    DF_ASSIGN(const PoolShape s, ShapeOfGradient(ctx));
    Tensor* dx = nullptr;
    DF_TRY(ctx.AllocateOutput(0, ctx.input(0).shape(), &dx));
    DF_ASSIGN(Tensor strays, ctx.AllocateTemp(DType::kInt32, Shape()));
    DF_TRY(cuda::EnqueueZeros(ctx, strays.raw(), strays.num_bytes()));
    const GpuPool pool(s);
    const GpuNumbers numbers = {const_cast<void*>(argmax.raw()), argmax.dtype() == DType::kInt64, NumbersOfImage(s)};
    DF_TRY(cuda::Launch(ctx, dy.num_elements(), &FindStrays, pool, numbers, strays.data<int32_t>(), error_flag_.word(),
                        dy.num_elements()));
    return cuda::Launch(ctx, dx->num_elements(), &GradientsByNumber<T>, pool, dy.data<T>(), numbers,
                        strays.data<int32_t>(), dx->data<T>(), dx->num_elements());
  }

 private:
  const cuda::DeviceErrorFlag error_flag_;
};

CUDA_KERNEL("MaxPoolWithArgmax", KernelOf<ArgmaxPool>, DF_REAL);
CUDA_KERNEL("MaxPoolGradWithArgmax", KernelOf<ArgmaxPoolGrad>, DF_REAL);

}  // namespace
}  // namespace dfrun
