// The response of a channel that is normalised by its neighbours, written once for host and device. Sums are computed
// in double.
#ifndef DFRUN_KERNELS_NN_NORM_LRN_H_
#define DFRUN_KERNELS_NN_NORM_LRN_H_

#include <cmath>

#include "kernels/math/functions/element.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun {

struct LocalResponse {
  int64_t radius;  // channels on each side
  double bias;
  double alpha;
  double beta;

  static constexpr double kRoot = 0.5;
  static constexpr double kRootOfCube = 0.75;

  // Reads the attrs. The setup fails if the radius is negative or beyond int32.
  static LocalResponse Of(KernelSetup& setup) {
    const LocalResponse response = {setup.attr<int64_t>("depth_radius"), setup.attr<float>("bias"),
                                    setup.attr<float>("alpha"), setup.attr<float>("beta")};
    if (response.radius < 0 || response.radius > INT32_MAX) {
      setup.Fail(InvalidArgument("depth_radius is ", response.radius));
    }
    return response;
  }

  // The norm, from the sum of squares around a channel.
  DF_HOST_DEVICE double Norm(double squares) const { return bias + alpha * squares; }
  // norm^-beta; the usual betas take shorter computations.
  DF_HOST_DEVICE double Power(double norm) const {
    if (beta == kRoot) return 1 / std::sqrt(norm);
    if (beta == kRootOfCube) return 1 / (std::sqrt(norm) * std::sqrt(std::sqrt(norm)));
    return std::pow(norm, -beta);
  }
  // dx = dy norm^-beta - 2 alpha beta x (the sum around it of dy y / norm).
  DF_HOST_DEVICE float Gradient(double dy, double x, double norm, double sum) const {
    return static_cast<float>(dy * Power(norm) - 2 * alpha * beta * x * sum);
  }

  static Status CheckInput(const Shape& x) {
    if (x.rank() == 4) return Status();
    return InvalidArgument("LRN needs an input of rank 4, but has ", x);
  }
  static Status CheckGradient(const Shape& dy, const Shape& x, const Shape& y) {
    if (x.rank() == 4 && dy == x && y == x) return Status();
    return InvalidArgument("LRNGrad needs images of one shape of rank 4, but has ", dy, ", ", x, " and ", y);
  }
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_NORM_LRN_H_
