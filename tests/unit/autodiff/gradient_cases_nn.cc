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
      {"BiasAddGrad", {U({2, 2, 3})}},
      {"BiasAddGrad", {U({2, 3, 2, 2})}, nchw, {}, {}, true},
      {"SoftmaxCrossEntropyWithLogits", {U({2, 3}, -2, 2), Distributions()}, {}, {}, {1}},
      {"SoftmaxCrossEntropyWithLogits", {U({2, 3}, -2, 2), Distributions()}, {}, {1}},
      {"SparseSoftmaxCrossEntropyWithLogits", {U({2, 3}, -2, 2), Ints({2, 0})}, {}, {}, {1}},
      {"SparseSoftmaxCrossEntropyWithLogits", {U({2, 3}, -2, 2), Ints({2, 0})}},
  };
}

AttrMap Windows(const IntList& ksize, const IntList& strides, const char* padding, const char* format = "NHWC") {
  return {{"ksize", ksize}, {"strides", strides}, {"padding", padding}, {"data_format", format}};
}

// What MaxPool makes of a 4x4 image of one channel with windows of 2x2 and strides of 2.
Tensor LargestOfQuarters(const Tensor& image) {
  Tensor largest(DType::kDouble, Shape({1, 2, 2, 1}));
  for (int i = 0; i < 4; ++i) {
    const double* corner = image.data<double>() + (i / 2) * 8 + (i % 2) * 2;
    largest.data<double>()[i] = std::max({corner[0], corner[1], corner[4], corner[5]});
  }
  return largest;
}

std::vector<GradientCase> PoolCases() {
  const AttrMap quarters = Windows({1, 2, 2, 1}, {1, 2, 2, 1}, "VALID");
  const AttrMap overlapping = Windows({1, 3, 2, 1}, {1, 2, 1, 1}, "SAME");
  const AttrMap nchw = Windows({1, 1, 3, 2}, {1, 1, 2, 1}, "SAME", "NCHW");
  const Tensor image = U({1, 4, 4, 1});
  const Tensor largest = LargestOfQuarters(image);
  return {
      {"AvgPool", {U({1, 4, 4, 2})}, quarters},
      {"AvgPool", {U({2, 5, 4, 2})}, overlapping},
      {"AvgPool", {U({2, 2, 5, 4})}, nchw},
      {"AvgPoolGrad", {Ints({1, 4, 4, 2}), U({1, 2, 2, 2})}, quarters},
      {"AvgPoolGrad", {Ints({2, 5, 4, 2}), U({2, 3, 4, 2})}, overlapping},
      {"MaxPool", {U({1, 4, 4, 2})}, quarters},
      {"MaxPool", {U({2, 5, 4, 2})}, overlapping},
      {"MaxPool", {U({2, 2, 5, 4})}, nchw},
      {"MaxPoolGrad", {image, largest, V({1, 2, 2, 1})}, quarters, {0, 1}},
      {"MaxPoolGradGrad", {image, largest, V({1, 4, 4, 1})}, quarters, {0, 1}},
  };
}

AttrMap Convolution(const IntList& strides, const char* padding, const char* format = "NHWC") {
  return {{"strides", strides}, {"padding", padding}, {"data_format", format}};
}

std::vector<GradientCase> ConvolutionCases() {
  const AttrMap same = Convolution({1, 2, 1, 1}, "SAME");
  const AttrMap valid = Convolution({1, 1, 1, 1}, "VALID");
  const AttrMap nchw = Convolution({1, 1, 2, 1}, "SAME", "NCHW");
  AttrMap dilated = valid;
  dilated.Set("dilations", IntList{1, 2, 1, 1});
  AttrMap padded = Convolution({1, 2, 1, 1}, "EXPLICIT");
  padded.Set("explicit_paddings", IntList{0, 0, 2, 1, 0, 1, 0, 0});
  return {
      {"Conv2D", {U({2, 5, 4, 2}), V({3, 2, 2, 3})}, same},
      {"Conv2D", {U({1, 5, 4, 2}), V({3, 2, 2, 3})}, valid},
      {"Conv2D", {U({1, 6, 4, 2}), V({3, 2, 2, 3})}, dilated},
      {"Conv2D", {U({1, 5, 4, 2}), V({3, 2, 2, 3})}, padded},
      {"Conv2D", {U({1, 2, 5, 4}), V({3, 2, 2, 3})}, nchw},
      {"Conv2DBackpropFilter", {U({1, 5, 4, 2}), Ints({3, 2, 2, 3}), V({1, 3, 4, 3})}, same},
      {"Conv2DBackpropInput", {Ints({1, 5, 4, 2}), U({3, 2, 2, 3}), V({1, 3, 4, 3})}, same},
  };
}

const GradientCases activations(ActivationCases);
const GradientCases layers(LayerCases);
const GradientCases pools(PoolCases);
const GradientCases convolutions(ConvolutionCases);

}  // namespace
}  // namespace dfrun::testing
