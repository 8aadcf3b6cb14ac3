// The table of gradient_check_test.cc: how the file of a family adds its lines, and short forms for them.
//
//   std::vector<GradientCase> SegmentCases() { return {{"SegmentSum", {U({4}), Ints({0, 0, 1, 3})}}, ...}; }
//   const GradientCases segments(SegmentCases);
#ifndef DFRUN_TESTS_UNIT_AUTODIFF_GRADIENT_CASES_H_
#define DFRUN_TESTS_UNIT_AUTODIFF_GRADIENT_CASES_H_

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include "tests/unit/autodiff/gradient_checker.h"

namespace dfrun::testing {

// A static object of this type adds lines to the table; `make` runs when the table is read.
class GradientCases {
 public:
  explicit GradientCases(std::vector<GradientCase> (*make)());
  // Returns all added lines.
  static std::vector<GradientCase> All();
};

// A static object of this type excuses an op with a gradient function that no point can check, and says why. It may
// excuse one output only, or that output only if it is complex.
class UncheckedGradient {
 public:
  enum class Of { kAll, kComplex, kMixed };  // kMixed: one side is complex
  UncheckedGradient(const char* op, const char* reason, const char* output = "", Of of = Of::kAll);
  static bool Excuses(const std::string& op, const std::string& output, bool is_complex_input, bool is_complex_output);
};

// A static object of this type leaves the golden cases of an op out, and says why. Only the op's lines in the table are
// checked then.
class LinesAlone {
 public:
  LinesAlone(const char* op, const char* reason);
  static bool IsSaidOf(const std::string& op);
};

// A static object of this type says that input 0 of an op is a self-adjoint matrix, of which the op reads a triangle.
class SelfAdjointInput {
 public:
  explicit SelfAdjointInput(const char* op);
  static bool IsOf(const std::string& op);
};

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

// Return two different sets of values of one shape.
inline Tensor U(const Shape& shape, double low = -1, double high = 1) {
  return Uniform(shape, low, high, 1);
}
inline Tensor V(const Shape& shape, double low = -1, double high = 1) {
  return Uniform(shape, low, high, 2);
}

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_AUTODIFF_GRADIENT_CASES_H_
