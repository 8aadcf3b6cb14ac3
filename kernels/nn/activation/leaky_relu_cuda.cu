#include "kernels/math/elementwise/zip_cuda.h"
#include "kernels/nn/activation/leaky_relu.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

struct Zip {
  template <class T, class Map>
  static Status Run(OpContext& ctx, const Tensor& values, const Tensor& features, Tensor& y, const Map& map) {
    return cuda::LaunchZip(ctx, values.data<T>(), features.data<T>(), y.data<T>(), values.num_elements(), map);
  }
};

CUDA_KERNEL("LeakyRelu", LeakyRelu<Zip>, DF_FLOATS);
CUDA_KERNEL("LeakyReluGrad", LeakyRelu<Zip>, DF_FLOATS);

}  // namespace
}  // namespace dfrun
