// Image tensors for tests of convolution and pooling.
#ifndef DFRUN_TESTS_UNIT_NN_IMAGES_H_
#define DFRUN_TESTS_UNIT_NN_IMAGES_H_

#include "src/framework/values/tensor.h"

namespace dfrun::testing {

// Element i is i * factor % modulus - modulus / 2.
template <class T>
Tensor Counting(const Shape& shape, int64_t factor, int64_t modulus) {
  Tensor tensor(DTypeOf<T>, shape);
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    tensor.data<T>()[i] = static_cast<T>(static_cast<float>(i * factor % modulus - modulus / 2));
  }
  return tensor;
}

// The sum over i of element i times i % 13 + 1.
template <class T>
double Checksum(const Tensor& tensor) {
  double sum = 0;
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    sum += static_cast<double>(tensor.data<T>()[i]) * static_cast<double>(i % 13 + 1);
  }
  return sum;
}

// [n, a, b] to [n, b, a].
template <class T>
Tensor SwapInner(const Tensor& from, const Shape& shape, int64_t a, int64_t b) {
  Tensor to(DTypeOf<T>, shape);
  for (int64_t n = 0; n < shape[0]; ++n) {
    for (int64_t i = 0; i < a; ++i) {
      for (int64_t j = 0; j < b; ++j) to.data<T>()[(n * b + j) * a + i] = from.data<T>()[(n * a + i) * b + j];
    }
  }
  return to;
}

// NHWC to NCHW and back.
template <class T>
Tensor ToChannelsFirst(const Tensor& t) {
  const Shape& s = t.shape();
  return SwapInner<T>(t, Shape({s[0], s[3], s[1], s[2]}), s[1] * s[2], s[3]);
}
template <class T>
Tensor ToChannelsLast(const Tensor& t) {
  const Shape& s = t.shape();
  return SwapInner<T>(t, Shape({s[0], s[2], s[3], s[1]}), s[1], s[2] * s[3]);
}

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_NN_IMAGES_H_
