// Attention of more queries and keys than a block has: what its definition says, the same bits on any number of
// threads, which Run() compares, and no memory for all scores.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/testing/node_runner.h"
#include "tests/unit/testing/random_tensor.h"

namespace dfrun::testing {
namespace {

constexpr int64_t kPairs = 2;
constexpr int64_t kDepth = 5;
constexpr int64_t kValueDepth = 3;

struct Inputs {
  Inputs(int64_t queries, int64_t keys)
      : q(RandomNormal<float>(Shape({1, kPairs, queries, kDepth}), 1)),
        k(RandomNormal<float>(Shape({1, kPairs, keys, kDepth}), 2)),
        v(RandomNormal<float>(Shape({1, kPairs, keys, kValueDepth}), 3)) {}
  Tensor q;
  Tensor k;
  Tensor v;

  double Score(int64_t pair, int64_t i, int64_t j, double scale) const {
    double sum = 0;
    for (int64_t d = 0; d < kDepth; ++d) {
      sum += double{q.data<float>()[(pair * q.shape()[2] + i) * kDepth + d]} *
             double{k.data<float>()[(pair * k.shape()[2] + j) * kDepth + d]};
    }
    return sum * scale;
  }
};

void ExpectTheDefinition(int64_t queries, int64_t keys, bool causal) {
  const Inputs in(queries, keys);
  NodeRunner runner;
  const auto outputs = runner.Run("ScaledDotProductAttention", {{"causal", causal}}, {in.q, in.k, in.v});
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  const double scale = 1 / std::sqrt(static_cast<double>(kDepth));
  for (int64_t row = 0; row < kPairs * queries; ++row) {
    const int64_t pair = row / queries;
    const int64_t i = row % queries;
    const int64_t visible = causal ? std::min(i + 1, keys) : keys;
    double sum = 0;
    double wanted[kValueDepth] = {};
    for (int64_t j = 0; j < visible; ++j) {
      const double weight = std::exp(in.Score(pair, i, j, scale));
      sum += weight;
      for (int64_t d = 0; d < kValueDepth; ++d) {
        wanted[d] += weight * double{in.v.data<float>()[(pair * keys + j) * kValueDepth + d]};
      }
    }
    for (int64_t d = 0; d < kValueDepth; ++d) {
      ASSERT_NEAR((*outputs)[0].data<float>()[row * kValueDepth + d], wanted[d] / sum, 1e-5) << row;
    }
    ASSERT_NEAR((*outputs)[1].data<float>()[row], std::log(sum), 1e-5) << row;
  }
}

TEST(Attention, IsWhatItsDefinitionSays) {
  ExpectTheDefinition(150, 300, /*causal=*/false);
  ExpectTheDefinition(300, 150, /*causal=*/false);
}
TEST(Attention, ACausalQuerySeesTheKeysUpToItsOwn) {
  ExpectTheDefinition(300, 300, /*causal=*/true);
  ExpectTheDefinition(150, 300, /*causal=*/true);
  ExpectTheDefinition(300, 150, /*causal=*/true);
}

// Scores of 16384 keys by as many queries would take a GiB.
TEST(Attention, TakesNoMemoryForAllScores) {
  constexpr int64_t kMany = 1 << 14;
  NodeRunner runner;
  const Inputs in(kMany, kMany);
  const auto outputs =
      runner.Run(NodeRunner::Way::kStaticShapes, "ScaledDotProductAttention", {{"causal", true}}, {in.q, in.k, in.v});
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  for (int64_t d = 0; d < kValueDepth; ++d) {  // the first query sees the first key alone
    EXPECT_NEAR((*outputs)[0].data<float>()[d], in.v.data<float>()[d], 1e-6);
  }
}

// Without keys there is nothing to mix.
TEST(Attention, WithoutKeysIsZero) {
  const Inputs in(4, 0);
  NodeRunner runner;
  const auto outputs = runner.Run("ScaledDotProductAttention", {}, {in.q, in.k, in.v});
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  for (const float y : (*outputs)[0].values<float>()) EXPECT_EQ(y, 0);
  for (const float y : (*outputs)[1].values<float>()) EXPECT_EQ(y, -INFINITY);
}

// The sums over blocks of queries and of keys against the sums of a product with ones: of equal weights.
TEST(Attention, GradientsOfValuesAreSumsOverTheQueries) {
  constexpr int64_t kQueries = 130;
  constexpr int64_t kKeys = 200;
  Inputs in(kQueries, kKeys);
  std::fill_n(in.q.data<float>(), in.q.num_elements(), 0.0F);
  NodeRunner runner;
  const auto outputs = runner.Run("ScaledDotProductAttention", {}, {in.q, in.k, in.v});
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  const Tensor dy = RandomNormal<float>((*outputs)[0].shape(), 4);
  const auto grads =
      runner.Run("ScaledDotProductAttentionGrad", {}, {dy, in.q, in.k, in.v, (*outputs)[0], (*outputs)[1]});
  ASSERT_TRUE(grads.ok()) << grads.status().ToString();
  for (int64_t pair = 0; pair < kPairs; ++pair) {
    for (int64_t d = 0; d < kValueDepth; ++d) {
      double sum = 0;
      for (int64_t i = 0; i < kQueries; ++i) {
        sum += double{dy.data<float>()[(pair * kQueries + i) * kValueDepth + d]};
      }
      for (int64_t j = 0; j < kKeys; ++j) {
        EXPECT_NEAR((*grads)[2].data<float>()[(pair * kKeys + j) * kValueDepth + d], sum / kKeys, 1e-5);
      }
    }
  }
  for (const float g : (*grads)[1].values<float>()) ASSERT_EQ(g, 0);  // keys are multiplied with queries, which are 0
}

TEST(Attention, SumsOfAnotherTypeAreRefused) {
  const Inputs in(2, 2);
  NodeRunner runner;
  const auto outputs = runner.Run(NodeRunner::Way::kStaticShapes, "ScaledDotProductAttention", {{"U", DType::kDouble}},
                                  {in.q, in.k, in.v});
  EXPECT_EQ(outputs.status().code(), Code::kUnimplemented) << outputs.status().ToString();
}

}  // namespace
}  // namespace dfrun::testing
