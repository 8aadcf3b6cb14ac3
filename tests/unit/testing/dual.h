// Dual numbers: a value with its N partial derivatives, both of them T, which may be a dual number itself for
// derivatives of a higher order.
#ifndef DFRUN_TESTS_UNIT_TESTING_DUAL_H_
#define DFRUN_TESTS_UNIT_TESTING_DUAL_H_

#include <array>
#include <cmath>
#include <cstddef>

namespace dfrun::testing {

template <class T, size_t N>
struct Dual {
  T value = {};
  std::array<T, N> derivative = {};

  Dual() = default;
  Dual(double constant) : value(constant) {}
};

// The number without its derivatives of any order.
inline double RealPart(double x) {
  return x;
}
template <class T, size_t N>
double RealPart(const Dual<T, N>& x) {
  return RealPart(x.value);
}

template <class T, size_t N>
Dual<T, N> operator+(const Dual<T, N>& a, const Dual<T, N>& b) {
  Dual<T, N> out;
  out.value = a.value + b.value;
  for (size_t i = 0; i < N; ++i) out.derivative[i] = a.derivative[i] + b.derivative[i];
  return out;
}

template <class T, size_t N>
Dual<T, N> operator*(const Dual<T, N>& a, const Dual<T, N>& b) {
  Dual<T, N> out;
  out.value = a.value * b.value;
  for (size_t i = 0; i < N; ++i) out.derivative[i] = a.derivative[i] * b.value + a.value * b.derivative[i];
  return out;
}

// Returns f(a), where f has this value and this slope at a.
template <class T, size_t N>
Dual<T, N> Chain(const T& value, const T& slope, const Dual<T, N>& a) {
  Dual<T, N> out;
  out.value = value;
  for (size_t i = 0; i < N; ++i) out.derivative[i] = slope * a.derivative[i];
  return out;
}

inline double Sine(double x) {
  return std::sin(x);
}
inline double Cosine(double x) {
  return std::cos(x);
}
inline double Tanh(double x) {
  return std::tanh(x);
}

template <class T, size_t N>
Dual<T, N> Cosine(const Dual<T, N>& a);
template <class T, size_t N>
Dual<T, N> Sine(const Dual<T, N>& a) {
  return Chain(Sine(a.value), Cosine(a.value), a);
}
template <class T, size_t N>
Dual<T, N> Cosine(const Dual<T, N>& a) {
  return Chain(Cosine(a.value), T(-1) * Sine(a.value), a);
}
template <class T, size_t N>
Dual<T, N> Tanh(const Dual<T, N>& a) {
  const T y = Tanh(a.value);
  return Chain(y, T(1) + T(-1) * y * y, a);
}

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_TESTING_DUAL_H_
