// Tensors of random values, the same in every run.
#ifndef DFRUN_TESTS_UNIT_TESTING_RANDOM_TENSOR_H_
#define DFRUN_TESTS_UNIT_TESTING_RANDOM_TENSOR_H_

#include <cstdint>
#include <random>

#include "src/framework/tensor.h"

namespace dfrun::testing {

// Of the standard normal distribution.
template <class T>
Tensor RandomNormal(const Shape& shape, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  Tensor tensor(DTypeOf<T>, shape);
  for (int64_t i = 0; i < shape.num_elements(); ++i) tensor.data<T>()[i] = static_cast<T>(normal(random));
  return tensor;
}

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_TESTING_RANDOM_TENSOR_H_
