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
  AttrMap averaging = training;
  averaging.Set("exponential_avg_factor", 0.25F);
  const std::vector<int> statistics = {3, 4};
  const std::vector<int> reserved = {3, 4, 5};  // read by the gradient of y alone
  return {
      Norm("FusedBatchNorm", {x, scale, offset, none, none}, training, statistics, reserved),
      Norm("FusedBatchNorm", {x, scale, offset, mean, variance}, given_first, {}, reserved),
      Norm("FusedBatchNormV2", {x, scale, offset, none, none}, training_first, statistics, reserved),
      Norm("FusedBatchNormV2", {x, scale, offset, mean, variance}, averaging, {}, reserved),
      Norm("FusedBatchNormV2", {x, scale, offset, mean, variance}, given, {}, reserved),
      Norm("FusedBatchNormV3", {x, scale, offset, none, none}, training, statistics, reserved),
      Norm("FusedBatchNormV3", {x, scale, offset, mean, variance}, given, {}, reserved),
      Norm("FusedBatchNormV3", {U({2, 2, 1, 2, 2}), scale, offset, none, none}, deep, statistics, reserved),
      Norm("FusedBatchNormGrad", {dy, x, scale, mean, variance}, given, {}, statistics),
      Norm("FusedBatchNormGradV2", {dy, x, scale, mean, variance}, given_first, {}, statistics),
      Norm("FusedBatchNormGradV3", {dy, x, scale, mean, variance, mean}, given, {}, statistics),
  };
}

std::vector<GradientCase> LocalResponseCases() {
  return {
      Norm("LRN", {U({1, 2, 1, 5})}, {{"depth_radius", 1}}, {}, {}),
      Norm("LRN", {U({1, 1, 2, 4})}, {{"alpha", 0.5F}, {"beta", 0.75F}, {"bias", 2.0F}}, {}, {}),
  };
}

constexpr const char* kOfBatch = "in training it is differentiated as if its statistics were computed from x";
const LinesAlone grad("FusedBatchNormGrad", kOfBatch), grad_v2("FusedBatchNormGradV2", kOfBatch);
const LinesAlone grad_v3("FusedBatchNormGradV3", kOfBatch);
const GradientCases batch_norms(BatchNormCases);
const GradientCases local_responses(LocalResponseCases);

}  // namespace
}  // namespace dfrun::testing
