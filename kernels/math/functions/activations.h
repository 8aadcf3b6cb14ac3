// Activation functions and their gradients over elements, written once for host and device. Source of the formulas:
// TensorFlow's relu_op_functor, softplus_op and softsign_op.
#ifndef DFRUN_KERNELS_MATH_FUNCTIONS_ACTIVATIONS_H_
#define DFRUN_KERNELS_MATH_FUNCTIONS_ACTIVATIONS_H_

#include <limits>

#include "kernels/math/functions/elementary.h"

namespace dfrun::fn {

// NaN stays NaN.
struct Relu {
  template <class T>
  DF_HOST_DEVICE T operator()(T x) const {
    return x < T(0) ? T(0) : x;
  }
};
struct Relu6 {
  template <class T>
  DF_HOST_DEVICE T operator()(T x) const {
    return x < T(0) ? T(0) : x > T(6) ? T(6) : x;
  }
};
struct Elu {
  template <class T>
  DF_HOST_DEVICE T operator()(T x) const {
    return x < T(0) ? Expm1()(x) : x;
  }
};
// The constants for which activations keep mean 0 and variance 1.
inline constexpr double kSeluScale = 1.0507009873554804934193349852946;
inline constexpr double kSeluScaleAlpha = 1.7580993408473768599402175208123;
struct Selu {
  template <class T>
  DF_HOST_DEVICE T operator()(T x) const {
    return x < T(0) ? T(kSeluScaleAlpha) * Expm1()(x) : T(kSeluScale) * x;
  }
};
// log(1 + exp(x)) without overflow.
struct Softplus {
  template <class T>
  DF_HOST_DEVICE T operator()(T x) const {
    return (x > T(0) ? x : T(0)) + Log1p()(Exp()(-std::abs(x)));
  }
};
struct Softsign {
  template <class T>
  DF_HOST_DEVICE T operator()(T x) const {
    return x / (T(1) + std::abs(x));
  }
};

// Gradients: dy, then x or y as the op says. Products, so that infinite times closed is NaN, as TensorFlow's.
struct ReluGrad {
  template <class T>
  DF_HOST_DEVICE T operator()(T dy, T x) const {
    return dy * (x > T(0) ? T(1) : T(0));
  }
};
struct Relu6Grad {
  template <class T>
  DF_HOST_DEVICE T operator()(T dy, T x) const {
    return dy * (x > T(0) && x < T(6) ? T(1) : T(0));
  }
};
struct EluGrad {
  template <class T>
  DF_HOST_DEVICE T operator()(T dy, T y) const {
    return y < T(0) ? dy * (y + T(1)) : dy;
  }
};
struct SeluGrad {
  template <class T>
  DF_HOST_DEVICE T operator()(T dy, T y) const {
    return y < T(0) ? dy * (y + T(kSeluScaleAlpha)) : dy * T(kSeluScale);
  }
};
struct SoftplusGrad {
  template <class T>
  DF_HOST_DEVICE T operator()(T dy, T x) const {
    return dy / (Exp()(-x) + T(1));
  }
};
struct SoftsignGrad {
  template <class T>
  DF_HOST_DEVICE T operator()(T dy, T x) const {
    const T size = T(1) + std::abs(x);
    return dy / (size * size);
  }
};

}  // namespace dfrun::fn

#endif  // DFRUN_KERNELS_MATH_FUNCTIONS_ACTIVATIONS_H_
