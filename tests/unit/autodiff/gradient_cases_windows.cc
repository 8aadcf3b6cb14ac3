// Convolution and pooling.
#include "tests/unit/autodiff/gradient_cases.h"

namespace dfrun::testing {
namespace {

AttrMap Windows(const IntList& ksize, const IntList& strides, const char* padding, const char* format = "NHWC") {
  return {{"ksize", ksize}, {"strides", strides}, {"padding", padding}, {"data_format", format}};
}

// Returns MaxPool of a 4x4 image of one channel, with windows of 2x2 and strides of 2.
Tensor LargestOfQuarters(const Tensor& image) {
  Tensor largest(DType::kDouble, Shape({1, 2, 2, 1}));
  for (int i = 0; i < 4; ++i) {
    const double* corner = image.data<double>() + (i / 2) * 8 + (i % 2) * 2;
    largest.data<double>()[i] = std::max({corner[0], corner[1], corner[4], corner[5]});
  }
  return largest;
}

std::vector<GradientCase> PoolCases() {
  const IntList halves = {1, 2, 2, 1};
  const AttrMap quarters = Windows(halves, halves, "VALID");
  const AttrMap overlapping = Windows({1, 3, 2, 1}, {1, 2, 1, 1}, "SAME");
  const AttrMap nchw = Windows({1, 1, 3, 2}, {1, 1, 2, 1}, "SAME", "NCHW");
  const AttrMap numbered = {{"ksize", halves}, {"strides", halves}, {"padding", "SAME"}};
  const AttrMap by_inputs = {{"padding", "VALID"}};
  const Tensor windows = Ints({1, 2, 2, 1});
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
      {"MaxPool", {U({1, 2, 2, 4})}, Windows({1, 1, 1, 2}, {1, 1, 1, 2}, "VALID")},
      {"MaxPoolGrad", {image, largest, V({1, 2, 2, 1})}, quarters, {0, 1}},
      {"MaxPoolGradGrad", {image, largest, V({1, 4, 4, 1})}, quarters, {0, 1}},
      {"MaxPoolGradV2", {image, largest, V({1, 2, 2, 1}), windows, windows}, by_inputs, {0, 1}},
      {"MaxPoolV2", {U({1, 4, 5, 2}), windows, windows}, by_inputs},
      {"MaxPoolWithArgmax", {U({2, 3, 4, 2})}, numbered},
  };
}

std::vector<GradientCase> DeepPoolCases() {
  const AttrMap same = Windows({1, 2, 2, 3, 1}, {1, 2, 1, 2, 1}, "SAME", "NDHWC");
  const AttrMap ncdhw = Windows({1, 1, 2, 2, 1}, {1, 1, 2, 2, 1}, "VALID", "NCDHW");
  const AttrMap first = Windows({1, 1, 1, 2, 1}, {1, 1, 1, 2, 1}, "VALID", "NDHWC");
  const Tensor row = Shaped<double>(Shape({1, 1, 1, 4, 1}), {1, 4, 3, 2});
  const Tensor largest = Shaped<double>(Shape({1, 1, 1, 2, 1}), {4, 3});
  GradientCase max = {"MaxPool3D", {U({1, 2, 2, 4, 1})}, same};
  GradientCase grad = {"MaxPool3DGrad", {row, largest, V({1, 1, 1, 2, 1})}, first, {0, 1}};
  GradientCase grad_grad = {"MaxPool3DGradGrad", {row, largest, V({1, 1, 1, 4, 1})}, first, {0, 1}};
  for (GradientCase* test : {&max, &grad, &grad_grad}) test->dtype = DType::kFloat;
  return {
      {"AvgPool3D", {U({1, 3, 2, 4, 2})}, same},
      {"AvgPool3D", {U({1, 2, 4, 3, 1})}, ncdhw},
      {"AvgPool3DGrad", {Ints({1, 3, 2, 4, 2}), U({1, 2, 2, 2, 2})}, same},
      max,
      grad,
      grad_grad,
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
      {"Conv2D", {U({1, 3, 3, 4}), V({2, 2, 2, 4})}, same},
      {"Conv2DBackpropFilter", {U({1, 5, 4, 2}), Ints({3, 2, 2, 3}), V({1, 3, 4, 3})}, same},
      {"Conv2DBackpropFilter", {U({1, 3, 3, 4}), Ints({2, 2, 2, 4}), V({1, 2, 3, 4})}, same},
      {"Conv2DBackpropInput", {Ints({1, 5, 4, 2}), U({3, 2, 2, 3}), V({1, 3, 4, 3})}, same},
      {"Conv2DBackpropInput", {Ints({1, 3, 3, 4}), U({2, 2, 2, 4}), V({1, 2, 3, 4})}, same},
      {"DepthwiseConv2dNative", {U({1, 5, 4, 2}), V({3, 2, 2, 2})}, same},
      {"DepthwiseConv2dNative", {U({2, 2, 4, 3}), V({3, 2, 2, 1})}, nchw},
      {"DepthwiseConv2dNativeBackpropFilter", {U({1, 5, 4, 2}), Ints({3, 2, 2, 2}), V({1, 3, 4, 4})}, same},
      {"DepthwiseConv2dNativeBackpropInput", {Ints({1, 5, 4, 2}), U({3, 2, 2, 2}), V({1, 3, 4, 4})}, same},
  };
}

std::vector<GradientCase> DeepConvolutionCases() {
  const AttrMap same = Convolution({1, 2, 1, 1, 1}, "SAME", "NDHWC");
  const AttrMap ncdhw = Convolution({1, 1, 1, 2, 1}, "VALID", "NCDHW");
  AttrMap dilated = Convolution({1, 1, 1, 1, 1}, "VALID", "NDHWC");
  dilated.Set("dilations", IntList{1, 2, 1, 1, 1});
  return {
      {"Conv3D", {U({1, 3, 2, 3, 2}), V({2, 2, 1, 2, 2})}, same},
      {"Conv3D", {U({1, 3, 2, 2, 1}), V({2, 1, 2, 1, 2})}, dilated},
      {"Conv3D", {U({1, 2, 2, 3, 2}), V({1, 2, 2, 2, 1})}, ncdhw},
      {"Conv3DBackpropFilterV2", {U({1, 3, 2, 3, 2}), Ints({2, 2, 1, 2, 2}), V({1, 2, 2, 3, 2})}, same},
      {"Conv3DBackpropInputV2", {Ints({1, 3, 2, 3, 2}), U({2, 2, 1, 2, 2}), V({1, 2, 2, 3, 2})}, same},
  };
}

const GradientCases pools(PoolCases);
const GradientCases deep_pools(DeepPoolCases);
const GradientCases convolutions(ConvolutionCases);
const GradientCases deep_convolutions(DeepConvolutionCases);

constexpr const char* kNotOfInput = "the golden cases' orig_output is not that of orig_input";
const LinesAlone max_pool_grad("MaxPoolGrad", kNotOfInput), max_pool_grad_v2("MaxPoolGradV2", kNotOfInput);
const LinesAlone max_pool_grad_grad("MaxPoolGradGrad", kNotOfInput);
const LinesAlone max_pool_grad_grad_v2("MaxPoolGradGradV2", kNotOfInput);
const LinesAlone max_pool_3d_grad("MaxPool3DGrad", kNotOfInput);
const LinesAlone max_pool_3d_grad_grad("MaxPool3DGradGrad", kNotOfInput);

}  // namespace
}  // namespace dfrun::testing
