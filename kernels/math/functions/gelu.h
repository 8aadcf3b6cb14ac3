// x times the distribution function of the normal distribution at x, exactly and by its usual approximation; once for
// the host and the device. Source: Hendrycks, Gimpel: Gaussian error linear units, 2016.
#ifndef DFRUN_KERNELS_MATH_FUNCTIONS_GELU_H_
#define DFRUN_KERNELS_MATH_FUNCTIONS_GELU_H_

#include "kernels/math/functions/elementary.h"
#include "kernels/math/functions/horner.h"

namespace dfrun::fn {

// The normal distribution at x.
template <class T>
struct NormalAt {
  T below;  // the distribution function
  T density;

  DF_HOST_DEVICE explicit NormalAt(T x) {
    constexpr T kScale = T(0.3989422804014326779);  // 1 / sqrt(2 pi)
    const T a = std::abs(x);
    const T exponential = ExpHalfSquare(a);
    const T tail = Tail(a, exponential);
    below = x < 0 ? tail : 1 - tail;
    density = kScale * exponential;
  }

 private:
  // exp(-a^2 / 2). In float a^2 has bits that matter: the square of its upper 12 bits is exact.
  DF_HOST_DEVICE static T ExpHalfSquare(T a) {
    if constexpr (std::is_same_v<T, float>) {
      const float upper = std::bit_cast<float>(std::bit_cast<uint32_t>(a) & 0xfffff000U);
      const float rest = a > 20.0F ? 0.0F : (a - upper) * (a + upper);  // from there on the result is 0
      return Exp()(-0.5F * upper * upper) * Exp()(-0.5F * rest);
    } else {
      return std::exp(T(-0.5) * a * a);
    }
  }

  // The distribution function at -a, given exp(-a^2 / 2). In float a polynomial in (a - 4) / (a + 4), fitted up to 15
  // (1.4 ulps); beyond that the exponential is 0.
  DF_HOST_DEVICE static T Tail(T a, T exponential) {
    if constexpr (std::is_same_v<T, float>) {
      const float far = a > 15.0F ? 15.0F : a;
      const float s = (far - 4.0F) / (far + 4.0F);
      const float p = Horner(s, -7.3243486e-05F, -6.436252e-05F, 0.0006913368F, -0.00030160556F, -0.005002895F,
                             0.017939853F, -0.032197613F, 0.028599996F, 0.01399962F, -0.09670347F, 0.4720532F);
      return exponential * (p / (1.0F + far));
    } else {
      return T(0.5) * std::erfc(a * T(0.70710678118654752440));
    }
  }
};

struct Gelu {
  template <class T>
  DF_HOST_DEVICE T operator()(T x) const {
    const T below = NormalAt<T>(x).below;
    return below == 0 ? T(0) * x : x * below;
  }
};

struct GeluGrad {
  template <class T>
  DF_HOST_DEVICE T operator()(T dy, T x) const {
    const NormalAt<T> normal(x);
    return dy * (normal.density == 0 ? normal.below : normal.below + x * normal.density);
  }
};

// The approximation of the distribution function: the logistic function of 2 k (x + c x^3).
inline constexpr double kGeluScale = 1.5957691216057307;  // 2 k = 2 sqrt(2 / pi)
inline constexpr double kGeluCube = 0.044715;

struct GeluTanh {
  template <class T>
  DF_HOST_DEVICE T operator()(T x) const {
    const T below = Sigmoid()(T(kGeluScale) * (x + T(kGeluCube) * x * x * x));
    return below == 0 ? T(0) * x : x * below;
  }
};

struct GeluTanhGrad {
  template <class T>
  DF_HOST_DEVICE T operator()(T dy, T x) const {
    const T s = Sigmoid()(T(kGeluScale) * (x + T(kGeluCube) * x * x * x));
    const T both = s * (1 - s);
    const T slope = T(kGeluScale) * (1 + T(3 * kGeluCube) * x * x);
    return dy * (both == 0 ? s : s + x * both * slope);
  }
};

}  // namespace dfrun::fn

#endif  // DFRUN_KERNELS_MATH_FUNCTIONS_GELU_H_
