// Complex numbers, their parts and their polar form, written once for host and device.
#ifndef DFRUN_KERNELS_MATH_FUNCTIONS_COMPLEX_FUNCTORS_H_
#define DFRUN_KERNELS_MATH_FUNCTIONS_COMPLEX_FUNCTORS_H_

#include <cmath>

#include "kernels/math/functions/element.h"

namespace dfrun::fn {

// Z<T>: the complex numbers of parts T.
template <template <class> class Z>
struct ComplexOf {
  template <class T>
  DF_HOST_DEVICE Z<T> operator()(T real, T imag) const {
    return {real, imag};
  }
};

struct Real {
  template <class Z>
  DF_HOST_DEVICE typename Z::value_type operator()(Z x) const {
    return x.real();
  }
};

struct Imag {
  template <class Z>
  DF_HOST_DEVICE typename Z::value_type operator()(Z x) const {
    return x.imag();
  }
};

struct ComplexAbs {
  template <class Z>
  DF_HOST_DEVICE typename Z::value_type operator()(Z x) const {
    return std::hypot(x.real(), x.imag());
  }
};

struct Angle {
  template <class Z>
  DF_HOST_DEVICE typename Z::value_type operator()(Z x) const {
    return std::atan2(x.imag(), x.real());
  }
};

}  // namespace dfrun::fn

#endif  // DFRUN_KERNELS_MATH_FUNCTIONS_COMPLEX_FUNCTORS_H_
