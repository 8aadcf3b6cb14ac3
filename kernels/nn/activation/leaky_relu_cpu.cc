#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/elementwise.h"
#include "kernels/nn/activation/leaky_relu.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

struct Zip {
  template <class T, class Map>
  static Status Run(OpContext& ctx, const Tensor& values, const Tensor& features, Tensor& y, const Map& map) {
    const bool streams = !y.SharesBufferWith(values) && IsStreamed(values.num_elements(), sizeof(T));
    MakeElements(ctx.pool(), y.raw(), sizeof(T), values.num_elements(), streams, [&](int64_t at, int64_t n, void* to) {
      Line(values.data<T>() + at, features.data<T>() + at, static_cast<T*>(to), n, map);
    });
    return Status();
  }

 private:
  template <class T, class Map>
  static void Line(const T* values, const T* features, T* y, int64_t n, const Map map) {
    DF_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < n; ++i) y[i] = map(values[i], features[i]);
  }
};

CPU_KERNEL("LeakyRelu", LeakyRelu<Zip>, DF_FLOATS);
CPU_KERNEL("LeakyReluGrad", LeakyRelu<Zip>, DF_FLOATS);

}  // namespace
}  // namespace dfrun
