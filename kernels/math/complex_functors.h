// Complex numbers, their parts and their polar form, written once for host and device.
#ifndef DFRUN_KERNELS_MATH_COMPLEX_FUNCTORS_H_
#define DFRUN_KERNELS_MATH_COMPLEX_FUNCTORS_H_

#include <cmath>

#include "kernels/math/element.h"

namespace dfrun::fn {

struct Complex {
  template <class T>
  DF_HOST_DEVICE std::complex<T> operator()(T real, T imag) const {
    return {real, imag};
  }
};

struct Real {
  template <class T>
  DF_HOST_DEVICE T operator()(std::complex<T> x) const {
    return x.real();
  }
};

struct Imag {
  template <class T>
  DF_HOST_DEVICE T operator()(std::complex<T> x) const {
    return x.imag();
  }
};

struct ComplexAbs {
  template <class T>
  DF_HOST_DEVICE T operator()(std::complex<T> x) const {
    return std::hypot(x.real(), x.imag());
  }
};

struct Angle {
  template <class T>
  DF_HOST_DEVICE T operator()(std::complex<T> x) const {
    return std::atan2(x.imag(), x.real());
  }
};

}  // namespace dfrun::fn

#endif  // DFRUN_KERNELS_MATH_COMPLEX_FUNCTORS_H_
