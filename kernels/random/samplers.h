// Samples of distributions that reject: how many numbers one takes is not fixed, so each has its own position.
// A sampler is made for a parameter, and gives a sample from the generator at that sample's position.
// Source: TensorFlow's random_op, stateless_random_gamma_op and random_poisson_op; the same numbers.
#ifndef DFRUN_KERNELS_RANDOM_SAMPLERS_H_
#define DFRUN_KERNELS_RANDOM_SAMPLERS_H_

#include <cmath>
#include <limits>

#include "kernels/math/functions/special_functions.h"
#include "kernels/random/distributions.h"

namespace dfrun {

// The numbers of a distribution one at a time, the last of each group first.
template <class Distribution, class T>
class ReversedSource {
 public:
  DF_HOST_DEVICE T Next(Philox& generator) {
    if (left_ == 0) {
      Distribution()(generator.Next(), group_);
      left_ = Distribution::kGroup;
    }
    return group_[--left_];
  }

 private:
  T group_[Distribution::kGroup];
  int left_ = 0;
};

// The gamma distribution of shape `alpha` and scale 1 (Marsaglia and Tsang: A simple method for generating gamma
// variables, 2000; about 95% of the attempts are taken).
class GammaSampler {
 public:
  DF_HOST_DEVICE explicit GammaSampler(double alpha)
      : alpha_(alpha), d_(alpha + (alpha < 1 ? 2.0 / 3 : -1.0 / 3)), c_(1.0 / 3 / std::sqrt(d_)) {}

  DF_HOST_DEVICE double operator()(Philox generator) const {
    ReversedSource<dist::Normal<double>, double> normal;
    ReversedSource<dist::Uniform<double>, double> uniform;
    if (alpha_ == 1) return -std::log1p(-uniform.Next(generator));
    while (true) {
      const double x = normal.Next(generator);
      double v = 1 + c_ * x;
      if (v <= 0) continue;
      v = v * v * v;
      const double u = uniform.Next(generator);
      const bool is_well_inside = u < 1 - 0.0331 * (x * x) * (x * x);
      if (!is_well_inside && !(std::log(u) < 0.5 * x * x + d_ * (1 - v + std::log(v)))) continue;
      return alpha_ < 1 ? d_ * v * std::pow(uniform.Next(generator), 1 / alpha_) : d_ * v;
    }
  }

 private:
  double alpha_;
  double d_;
  double c_;
};

// The Poisson distribution. A rate of NaN or +infinity gives itself.
class PoissonSampler {
 public:
  explicit PoissonSampler(double rate)
      : rate_(rate),
        log_rate_(std::log(rate)),
        b_(0.931 + 2.53 * std::sqrt(rate)),
        a_(-0.059 + 0.02483 * b_),
        inverse_alpha_(1.1239 + 1.1328 / (b_ - 3.4)) {}

  double operator()(const Philox& generator) const {
    if (rate_ < 10) return ByWaiting(generator);
    return std::isfinite(rate_) ? ByRejection(generator) : rate_;
  }

 private:
  using Uniform = ReversedSource<dist::Uniform<double>, double>;

  // Knuth: events until their waiting times exceed 1.
  double ByWaiting(Philox generator) const {
    Uniform uniform;
    const double end = std::exp(-rate_);
    double product = uniform.Next(generator);
    int64_t events = 0;
    while (product > end) {
      ++events;
      product *= uniform.Next(generator);
    }
    return static_cast<double>(events);
  }

  // Hoermann: The transformed rejection method for generating Poisson random variables, 1993.
  double ByRejection(Philox generator) const {
    Uniform uniform;
    while (true) {
      const double u = uniform.Next(generator) - 0.5;
      const double v = uniform.Next(generator);
      const double to_edge = 0.5 - std::abs(u);
      const double k = std::floor((2 * a_ / to_edge + b_) * u + rate_ + 0.43);
      if (to_edge >= 0.07 && v <= 0.9277 - 3.6224 / (b_ - 2)) return k;
      if (k < 0 || (to_edge < 0.013 && v > to_edge)) continue;
      const double s = std::log(v * inverse_alpha_ / (a_ / (to_edge * to_edge) + b_));
      if (s <= -rate_ + k * log_rate_ - fn::Lgamma()(k + 1)) return k;
    }
  }

  double rate_;
  double log_rate_;
  double b_;
  double a_;
  double inverse_alpha_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_RANDOM_SAMPLERS_H_
