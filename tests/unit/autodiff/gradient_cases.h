// The table of gradient_check_test.cc, by family of ops, and short forms for its entries.
#ifndef DFRUN_TESTS_UNIT_AUTODIFF_GRADIENT_CASES_H_
#define DFRUN_TESTS_UNIT_AUTODIFF_GRADIENT_CASES_H_

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "tests/unit/autodiff/gradient_checker.h"

namespace dfrun::testing {

std::vector<GradientCase> ArrayGradientCases();
std::vector<GradientCase> MathGradientCases();
std::vector<GradientCase> MatrixGradientCases();
std::vector<GradientCase> NnGradientCases();
std::vector<GradientCase> ReductionGradientCases();

using IntList = std::vector<int64_t>;

inline Tensor Int(int32_t value) {
  return Tensor::Scalar<int32_t>(value);
}
inline Tensor Ints(std::initializer_list<int32_t> values) {
  return Tensor::Vector<int32_t>(values);
}
template <class T = int32_t>
Tensor Shaped(const Shape& shape, std::initializer_list<T> values) {
  Tensor tensor(DTypeOf<T>, shape);
  std::copy(values.begin(), values.end(), tensor.data<T>());
  return tensor;
}
inline Tensor Num(double value) {
  return Tensor::Scalar<double>(value);
}

// Two sets of values of one shape that differ.
inline Tensor U(const Shape& shape, double low = -1, double high = 1) {
  return Uniform(shape, low, high, 1);
}
inline Tensor V(const Shape& shape, double low = -1, double high = 1) {
  return Uniform(shape, low, high, 2);
}

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_AUTODIFF_GRADIENT_CASES_H_
