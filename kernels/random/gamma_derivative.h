// How a sample of the gamma distribution moves with the distribution's parameter.
#ifndef DFRUN_KERNELS_RANDOM_GAMMA_DERIVATIVE_H_
#define DFRUN_KERNELS_RANDOM_GAMMA_DERIVATIVE_H_

#include <limits>

namespace dfrun {

// dx/dalpha at which the distribution function P(alpha, x) stays what it is: -(dP/dalpha) / (dP/dx). 0 for x = 0, NaN
// for x < 0 and alpha <= 0; also 0 where the density at x is below `smallest`, as TensorFlow has it. Source: Figurnov,
// Mohamed, Mnih: Implicit reparameterization gradients, 2018; the series and the continued fraction of the incomplete
// gamma function, differentiated term by term.
double GammaSampleDerivative(double alpha, double x, double smallest);

namespace fn {
struct GammaSampleDerivative {
  template <class T>
  T operator()(T alpha, T x) const {
    return static_cast<T>(dfrun::GammaSampleDerivative(static_cast<double>(alpha), static_cast<double>(x),
                                                       static_cast<double>(std::numeric_limits<T>::min())));
  }
};
}  // namespace fn

}  // namespace dfrun

#endif  // DFRUN_KERNELS_RANDOM_GAMMA_DERIVATIVE_H_
