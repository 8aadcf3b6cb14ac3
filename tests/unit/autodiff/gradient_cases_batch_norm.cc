// Normalisation: ops of float32.
#include "tests/unit/autodiff/gradient_cases.h"

namespace dfrun::testing {
namespace {

GradientCase Norm(const char* op, std::vector<Tensor> inputs, AttrMap attrs, std::vector<int> fixed,
                  std::vector<int> ignored) {
  GradientCase test = {op, std::move(inputs), std::move(attrs), std::move(fixed), std::move(ignored)};
  test.dtype = DType::kFloat;
  return test;
}

// Statistics in training are the batch's; the gradient of the gradients is checked with given ones here, and in
// training by batch_norm_gradients_test.
std::vector<GradientCase> BatchNormCases() {
  const AttrMap training = {{"epsilon", 0.25F}};
  const AttrMap given = {{"epsilon", 0.25F}, {"is_training", false}};
  AttrMap training_first = training;
  training_first.Set("data_format", "NCHW");
  AttrMap given_first = given;
  given_first.Set("data_format", "NCHW");
  AttrMap deep = training;
  deep.Set("data_format", "NCDHW");
  const Tensor none = U({0});
  const Tensor x = U({2, 2, 2, 2});
  const Tensor dy = V({2, 2, 2, 2});
  const Tensor scale = U({2}, 1, 2);
  const Tensor offset = V({2});
  const Tensor mean = V({2});
  const Tensor variance = V({2}, 0.5, 1);
  const std::vector<int> statistics = {3, 4};
  const std::vector<int> but_y = {1, 2, 3, 4, 5};
  return {
      Norm("FusedBatchNorm", {x, scale, offset, none, none}, training, statistics, but_y),
      Norm("FusedBatchNorm", {x, scale, offset, mean, variance}, given_first, statistics, but_y),
      Norm("FusedBatchNormV2", {x, scale, offset, none, none}, training_first, statistics, but_y),
      Norm("FusedBatchNormV2", {x, scale, offset, mean, variance}, given, statistics, but_y),
      Norm("FusedBatchNormV3", {x, scale, offset, none, none}, training, statistics, but_y),
      Norm("FusedBatchNormV3", {x, scale, offset, mean, variance}, given, statistics, but_y),
      Norm("FusedBatchNormV3", {U({2, 2, 1, 2, 2}), scale, offset, none, none}, deep, statistics, but_y),
      Norm("FusedBatchNormGrad", {dy, x, scale, mean, variance}, given, statistics, statistics),
      Norm("FusedBatchNormGradV2", {dy, x, scale, mean, variance}, given_first, statistics, statistics),
      Norm("FusedBatchNormGradV3", {dy, x, scale, mean, variance, mean}, given, {3, 4, 5}, statistics),
  };
}

std::vector<GradientCase> LocalResponseCases() {
  return {
      Norm("LRN", {U({1, 2, 1, 5})}, {{"depth_radius", 1}}, {}, {}),
      Norm("LRN", {U({1, 1, 2, 4})}, {{"alpha", 0.5F}, {"beta", 0.75F}, {"bias", 2.0F}}, {}, {}),
  };
}

const GradientCases batch_norms(BatchNormCases);
const GradientCases local_responses(LocalResponseCases);

}  // namespace
}  // namespace dfrun::testing
