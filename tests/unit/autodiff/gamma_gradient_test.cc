// The gradient of samples of gamma distributions by their parameters.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "src/autodiff/gradients.h"
#include "tests/unit/testing/graph_evaluator.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun::testing {
namespace {

struct SampledGradient {
  Tensor samples;
  Tensor gradient;
};

// Returns samples of `op`, whose last input is alpha, and their gradient with weights 1.
SampledGradient Sample(const char* op, const AttrMap& attrs, const std::vector<Tensor>& places, const Tensor& alpha) {
  GraphMaker maker;
  std::vector<Output> inputs;
  for (const Tensor& place : places) inputs.push_back(maker.Const(StrCat("place", inputs.size()), place));
  inputs.push_back(maker.Const("alpha", alpha));
  const std::vector<Output> y = {maker.Add("y", op, inputs, attrs)};
  const Result<std::vector<GradientValue>> gradients = AddGradients(maker.graph, y, std::vector<Output>{inputs.back()});
  EXPECT_TRUE(gradients.ok()) << gradients.status().ToString();
  if (!gradients.ok()) return {};
  const Result<std::vector<Tensor>> values = GraphEvaluator().Fetch(maker.graph, {y[0], (*gradients)[0].dense});
  EXPECT_TRUE(values.ok()) << values.status().ToString();
  if (!values.ok()) return {};
  return {*(*values)[0].Copy(SystemAllocator()), *(*values)[1].Copy(SystemAllocator())};
}

// P(a, x) by Simpson's rule over log t, where its integrand t^a e^-t is smooth.
double DistributionFunction(double a, double x) {
  const double low = std::log(x) - 60 / a;
  const int n = 20000;
  const double h = (std::log(x) - low) / n;
  double sum = 0;
  for (int i = 0; i <= n; ++i) {
    const double u = low + i * h;
    sum += std::exp(a * u - std::exp(u) - std::lgamma(a)) * (i == 0 || i == n ? 1 : i % 2 == 0 ? 2 : 4);
  }
  return sum * h / 3;
}

// Returns the derivative of x by a at a fixed value of the distribution function.
double Derivative(double a, double x) {
  const double h = 1e-4;
  const double by_a = (DistributionFunction(a + h, x) - DistributionFunction(a - h, x)) / (2 * h);
  return -by_a / std::exp((a - 1) * std::log(x) - x - std::lgamma(a));
}

void ExpectSumsOfDerivatives(const SampledGradient& actual, const Tensor& alpha) {
  ASSERT_EQ(actual.gradient.shape(), alpha.shape());
  const int64_t count = alpha.num_elements();
  for (int64_t p = 0; p < count; ++p) {
    double sum = 0;
    for (int64_t i = p; i < actual.samples.num_elements(); i += count) {
      sum += Derivative(alpha.data<double>()[p], actual.samples.data<double>()[i]);
    }
    // Numeric differentiation with this step is good to 1e-7.
    EXPECT_NEAR(actual.gradient.data<double>()[p], sum, 1e-6 * (1 + std::abs(sum))) << "alpha " << p;
  }
}

TEST(GammaGradient, SumsOverTheSamplesOfEachParameter) {
  const Tensor alpha = Tensor::Vector<double>({0.7, 1.0, 4.5});
  const Tensor three = Tensor::Vector<int32_t>({3});
  const Tensor three_of_each = Tensor::Vector<int32_t>({3, 3});
  const AttrMap seeds = {{"seed", 1}, {"seed2", 2}};
  ExpectSumsOfDerivatives(Sample("RandomGamma", seeds, {three}, alpha), alpha);
  ExpectSumsOfDerivatives(Sample("StatelessRandomGammaV2", {}, {three_of_each, Tensor::Vector<int64_t>({1, 2})}, alpha),
                          alpha);
  ExpectSumsOfDerivatives(Sample("StatelessRandomGammaV3", {},
                                 {three_of_each, Tensor::Vector<uint64_t>({1}), Tensor::Vector<uint64_t>({2, 3}),
                                  Tensor::Scalar<int32_t>(1)},
                                 alpha),
                          alpha);
}

TEST(GammaGradient, OfOneParameter) {
  const Tensor alpha = Tensor::Scalar<double>(2.5);
  ExpectSumsOfDerivatives(Sample("RandomGamma", {{"seed", 1}, {"seed2", 2}}, {Tensor::Vector<int32_t>({2, 2})}, alpha),
                          alpha);
}

}  // namespace
}  // namespace dfrun::testing
