#include "tests/unit/autodiff/gradient_cases.h"

namespace dfrun::testing {
namespace {

std::vector<GradientCase> GeluCases() {
  const AttrMap approximate = {{"approximate", true}};
  return {
      {"Gelu", {U({3, 4}, -3, 3)}},
      {"Gelu", {U({3, 4}, -3, 3)}, approximate},
      {"GeluGrad", {U({3, 4}), V({3, 4}, -3, 3)}},
      {"GeluGrad", {U({3, 4}), V({3, 4}, -3, 3)}, approximate},
  };
}

std::vector<GradientCase> LayerNormCases() {
  const AttrMap two = {{"axis", 1}};
  const AttrMap all = {{"axis", -2}, {"epsilon", 0.1}};
  return {
      {"LayerNorm", {U({3, 4}), V({4}), U({4})}},
      {"LayerNorm", {U({2, 2, 3}), V({2, 3}), U({2, 3})}, two},
      {"LayerNorm", {U({2, 3}), V({2, 3}), U({2, 3})}, all},
      {"LayerNormGrad", {U({3, 4}), V({3, 4}), V({4})}},
      {"LayerNormGrad", {U({2, 2, 3}), V({2, 2, 3}), V({2, 3})}, two},
      {"LayerNormGrad", {U({2, 3}), V({2, 3}), V({2, 3})}, all},
  };
}

std::vector<GradientCase> AttentionCases() {
  const AttrMap whole = {{"U", DType::kDouble}};
  const AttrMap causal = {{"U", DType::kDouble}, {"causal", true}, {"scale", 0.5}};
  const std::vector<int> log_sums = {1};
  return {
      {"ScaledDotProductAttention", {U({1, 2, 3, 2}), V({1, 2, 4, 2}), U({1, 2, 4, 3})}, whole, {}, log_sums},
      {"ScaledDotProductAttention", {U({1, 2, 3, 2}), V({1, 2, 3, 2}), U({1, 2, 3, 3})}, causal, {}, log_sums},
  };
}

const GradientCases attention(AttentionCases);
const GradientCases gelu(GeluCases);
const GradientCases layer_norm(LayerNormCases);

}  // namespace
}  // namespace dfrun::testing
