#include "tests/unit/autodiff/gradient_cases.h"

namespace dfrun::testing {
namespace {

std::vector<GradientCase> ActivationCases() {
  return {
      {"Elu", {U({2, 3})}},
      {"EluGrad", {U({2, 3}), V({2, 3}, -0.9, 1)}},
      {"LeakyRelu", {U({2, 3})}, {{"alpha", 0.3}}},
      {"LeakyReluGrad", {U({2, 3}), V({2, 3})}, {{"alpha", 0.3}}},
      {"LogSoftmax", {U({2, 4}, -2, 2)}},
      {"Relu", {U({2, 3})}},
      {"Relu6", {U({2, 3}, 4, 8)}},
      {"Relu6Grad", {U({2, 3}), V({2, 3}, 4, 8)}},
      {"ReluGrad", {U({2, 3}), V({2, 3})}},
      {"Selu", {U({2, 3})}},
      {"SeluGrad", {U({2, 3}), V({2, 3}, -1, 1)}},
      {"Softmax", {U({2, 4}, -2, 2)}},
      {"Softplus", {U({2, 3}, -2, 2)}},
      {"SoftplusGrad", {U({2, 3}), V({2, 3}, -2, 2)}},
      {"Softsign", {U({2, 3}, -2, 2)}},
  };
}

// Rows that sum to 1, as labels do.
Tensor Distributions() {
  return Shaped<double>(Shape({2, 3}), {0.2, 0.5, 0.3, 0.7, 0.1, 0.2});
}

std::vector<GradientCase> LayerCases() {
  const AttrMap nchw = {{"data_format", "NCHW"}};
  return {
      {"BiasAdd", {U({2, 3}), V({3})}},
      {"BiasAdd", {U({2, 3, 2, 2}), V({3})}, nchw},
      {"BiasAddV1", {U({2, 2, 3}), V({3})}},
      {"BiasAddGrad", {U({2, 2, 3})}},
      {"BiasAddGrad", {U({2, 3, 2, 2})}, nchw},
      {"SoftmaxCrossEntropyWithLogits", {U({2, 3}, -2, 2), Distributions()}, {}, {}, {1}},
      {"SoftmaxCrossEntropyWithLogits", {U({2, 3}, -2, 2), Distributions()}},
      {"SparseSoftmaxCrossEntropyWithLogits", {U({2, 3}, -2, 2), Ints({2, 0})}, {}, {}, {1}},
      {"SparseSoftmaxCrossEntropyWithLogits", {U({2, 3}, -2, 2), Ints({2, 0})}},
  };
}

const GradientCases activations(ActivationCases);
const GradientCases layers(LayerCases);

const LinesAlone cross_entropy("SoftmaxCrossEntropyWithLogits",
                               "the golden cases' labels are not all distributions, of which its gradient holds");

}  // namespace
}  // namespace dfrun::testing
