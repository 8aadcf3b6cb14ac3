// Tensors of random values, the same in every run.
#ifndef DFRUN_TESTS_UNIT_TESTING_RANDOM_TENSOR_H_
#define DFRUN_TESTS_UNIT_TESTING_RANDOM_TENSOR_H_

#include <cstdint>
#include <random>

#include "src/framework/values/tensor.h"

namespace dfrun::testing {

// Returns values of the standard normal distribution.
template <class T>
Tensor RandomNormal(const Shape& shape, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  Tensor tensor(DTypeOf<T>, shape);
  for (int64_t i = 0; i < shape.num_elements(); ++i) tensor.data<T>()[i] = static_cast<T>(normal(random));
  return tensor;
}

// Uniform between -limit and limit.
template <class T>
Tensor RandomUniform(const Shape& shape, uint32_t seed, double limit) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-limit, limit);
  Tensor tensor(DTypeOf<T>, shape);
  for (int64_t i = 0; i < shape.num_elements(); ++i) tensor.data<T>()[i] = static_cast<T>(uniform(random));
  return tensor;
}

// Small multiples of a half: many are equal, and zeros of both signs.
template <class T>
Tensor RandomHalves(const Shape& shape, uint32_t seed) {
  std::mt19937 random(seed);
  Tensor tensor(DTypeOf<T>, shape);
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    tensor.data<T>()[i] = static_cast<T>(static_cast<float>(static_cast<int>(random() % 7) - 3) * -0.5F);
  }
  return tensor;
}

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_TESTING_RANDOM_TENSOR_H_
