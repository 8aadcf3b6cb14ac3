// BiasAndRelu: the element-wise epilogue of a product or a convolution on a GPU; its bits are those of the ops.
#ifndef DFRUN_KERNELS_MATH_ELEMENTWISE_BIAS_RELU_CUDA_H_
#define DFRUN_KERNELS_MATH_ELEMENTWISE_BIAS_RELU_CUDA_H_

#include <cstdint>

#include "kernels/math/functions/activations.h"
#include "kernels/math/functions/element.h"
#include "kernels/math/functions/functors.h"

namespace dfrun::cuda {

template <class T>
struct ReluOf {
  DF_HOST_DEVICE T operator()(T x) const { return static_cast<T>(fn::Relu()(static_cast<ComputeType<T>>(x))); }
};

template <class T>
struct BiasAndRelu {
  const T* bias = nullptr;  // by channel; null: there is none
  bool has_relu = false;

  bool is_none() const { return bias == nullptr && !has_relu; }
  DF_HOST_DEVICE T operator()(T value, int64_t channel) const {
    using C = ComputeType<T>;
    if (bias != nullptr) value = static_cast<T>(fn::Add()(static_cast<C>(value), static_cast<C>(bias[channel])));
    return has_relu ? ReluOf<T>()(value) : value;
  }
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_MATH_ELEMENTWISE_BIAS_RELU_CUDA_H_
