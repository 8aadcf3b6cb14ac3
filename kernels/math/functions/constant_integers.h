// Element-wise ops and reductions on integers that are known before a step runs.
#ifndef DFRUN_KERNELS_MATH_FUNCTIONS_CONSTANT_INTEGERS_H_
#define DFRUN_KERNELS_MATH_FUNCTIONS_CONSTANT_INTEGERS_H_

#include <algorithm>
#include <limits>

#include "src/framework/op/constant_value.h"

namespace dfrun {

using ConstantElement = ConstantInts::Element;

// A result that overflows stays unknown.
inline ConstantElement ProductOf(int64_t a, int64_t b) {
  int64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? std::nullopt : ConstantElement(out);
}
inline ConstantElement SumOf(int64_t a, int64_t b) {
  int64_t out = 0;
  return __builtin_add_overflow(a, b, &out) ? std::nullopt : ConstantElement(out);
}
inline ConstantElement DifferenceOf(int64_t a, int64_t b) {
  int64_t out = 0;
  return __builtin_sub_overflow(a, b, &out) ? std::nullopt : ConstantElement(out);
}
inline ConstantElement NegativeOf(int64_t a) {
  return DifferenceOf(0, a);
}

// A quotient that is not defined, or overflows, stays unknown: the kernel reports it.
inline bool CanDivide(int64_t a, int64_t b) {
  return b != 0 && !(b == -1 && a == std::numeric_limits<int64_t>::min());
}
inline ConstantElement QuotientOf(int64_t a, int64_t b) {
  return CanDivide(a, b) ? ConstantElement(a / b) : std::nullopt;
}
inline ConstantElement FloorQuotientOf(int64_t a, int64_t b) {
  if (!CanDivide(a, b)) return std::nullopt;
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}
inline ConstantElement FloorRemainderOf(int64_t a, int64_t b) {
  if (!CanDivide(a, b)) return std::nullopt;
  const int64_t remainder = a % b;
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

inline ConstantElement LargerOf(int64_t a, int64_t b) {
  return std::max(a, b);
}
inline ConstantElement SmallerOf(int64_t a, int64_t b) {
  return std::min(a, b);
}

template <ConstantElement (*kFunction)(int64_t)>
MaybeConstant UnaryConstant(const ConstantContext& c) {
  MaybeConstant value = c.input(0);
  if (!value) return std::nullopt;
  for (ConstantElement& e : value->elements) e = e ? kFunction(*e) : std::nullopt;
  return value;
}

// Element by element; a scalar or a vector of one element is repeated.
template <ConstantElement (*kFunction)(int64_t, int64_t)>
MaybeConstant BinaryConstant(const ConstantContext& c) {
  const MaybeConstant a = c.input(0);
  const MaybeConstant b = c.input(1);
  if (!a || !b) return std::nullopt;
  const size_t na = a->elements.size();
  const size_t nb = b->elements.size();
  if (na != nb && na != 1 && nb != 1) return std::nullopt;
  ConstantInts out{a->is_scalar && b->is_scalar, {}};
  for (size_t i = 0; i < (na == 1 ? nb : na); ++i) {
    const ConstantElement x = a->elements[na == 1 ? 0 : i];
    const ConstantElement y = b->elements[nb == 1 ? 0 : i];
    out.elements.push_back(x && y ? kFunction(*x, *y) : std::nullopt);
  }
  return out;
}

// All elements of a vector as one.
template <ConstantElement (*kFunction)(int64_t, int64_t), int64_t kOfNone>
MaybeConstant ReducedConstant(const ConstantContext& c) {
  const MaybeConstant value = c.vector(0);
  if (!value || c.output_shape(0).rank() != 0) return std::nullopt;
  ConstantElement out = kOfNone;
  for (ConstantElement e : value->elements) out = out && e ? kFunction(*out, *e) : std::nullopt;
  return ConstantInts::Scalar(out);
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_FUNCTIONS_CONSTANT_INTEGERS_H_
