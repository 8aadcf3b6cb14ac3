// Attention on emulated GPUs against CPUs: by the library's plans, and by products that handle a limited number of
// scores at a time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "src/framework/device/device_factory.h"
#include "tests/unit/testing/node_runner.h"
#include "tests/unit/testing/random_tensor.h"
#include "tests/unit/testing/tested_device.h"

namespace dfrun::testing {
namespace {

constexpr char kType[] = "gpu";

struct Sizes {
  int64_t batch, heads, queries, keys, depth, value_depth;
};

template <class T>
double LargestDifference(const Tensor& a, const Tensor& b) {
  double difference = 0;
  double size = 0;
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    const auto x = static_cast<double>(a.data<T>()[i]);
    const auto y = static_cast<double>(b.data<T>()[i]);
    if (std::isnan(x)) return INFINITY;
    difference = std::max(difference, std::abs(x - y));
    size = std::max(size, std::abs(y));
  }
  return difference / size;
}

class AttentionTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("DFRUN_DEVICE_PARTS", DFRUN_EMULATED_PARTS, 1);
    MakeDeviceOf(kType);
  }

  // Compares the outputs for the same inputs: on the GPU twice, with the same bits, and on the host. `made` gets those
  // of the host.
  template <class T>
  static void Compare(const std::string& op, const AttrMap& attrs, const std::vector<Input>& inputs, double tolerance,
                      NodeRunner& host, std::vector<Tensor>* made) {
    NodeRunner gpu(kType);
    NodeRunner again(kType);
    const auto first = gpu.Run(NodeRunner::Way::kStaticShapes, op, attrs, inputs);
    const auto second = again.Run(NodeRunner::Way::kStaticShapes, op, attrs, inputs);
    const auto expected = host.Run(NodeRunner::Way::kStaticShapes, op, attrs, inputs);
    ASSERT_TRUE(first.ok()) << first.status().ToString();
    ASSERT_TRUE(second.ok()) << second.status().ToString();
    ASSERT_TRUE(expected.ok()) << expected.status().ToString();
    for (size_t i = 0; i < expected->size(); ++i) {
      SCOPED_TRACE(StrCat(op, " output ", i));
      const Tensor& on_gpu = (*first)[i];
      ASSERT_EQ(on_gpu.shape(), (*expected)[i].shape());
      EXPECT_TRUE(on_gpu.Identical((*second)[i]));
      const double difference = on_gpu.dtype() == DTypeOf<T> ? LargestDifference<T>(on_gpu, (*expected)[i])
                                                             : LargestDifference<float>(on_gpu, (*expected)[i]);
      EXPECT_LT(difference, tolerance);
    }
    *made = *expected;
  }

  template <class T>
  static void CompareBoth(const Sizes& s, const AttrMap& attrs, double tolerance) {
    const Tensor q = RandomNormal<T>(Shape({s.batch, s.heads, s.queries, s.depth}), 1);
    const Tensor k = RandomNormal<T>(Shape({s.batch, s.heads, s.keys, s.depth}), 2);
    const Tensor v = RandomNormal<T>(Shape({s.batch, s.heads, s.keys, s.value_depth}), 3);
    const Tensor dy = RandomNormal<T>(Shape({s.batch, s.heads, s.queries, s.value_depth}), 4);
    NodeRunner host{std::string(HostDeviceType())};  // owns the memory of the outputs
    NodeRunner of_gradient{std::string(HostDeviceType())};
    std::vector<Tensor> outputs;
    Compare<T>("ScaledDotProductAttention", attrs, {q, k, v}, tolerance, host, &outputs);
    ASSERT_EQ(outputs.size(), 2U);
    std::vector<Tensor> grads;
    Compare<T>("ScaledDotProductAttentionGrad", attrs, {dy, q, k, v, outputs[0], outputs[1]}, 4 * tolerance,
               of_gradient, &grads);
  }
};

TEST_F(AttentionTest, OfBfloat16IsTheLibrarys) {
  for (const bool causal : {false, true}) {
    CompareBoth<bfloat16>({2, 2, 80, 150, 64, 32}, {{"causal", causal}}, 0x1p-7);
  }
}

TEST_F(AttentionTest, OfHalfIsTheLibrarys) {
  CompareBoth<float16>({1, 3, 130, 130, 32, 32}, {{"causal", true}, {"scale", 0.25}}, 0x1p-10);
}

// Rows are no multiples of 16 bytes.
TEST_F(AttentionTest, OfOddDepthsIsOurs) {
  CompareBoth<bfloat16>({2, 2, 80, 150, 63, 31}, {{"causal", true}}, 0x1p-7);
}

// Several pairs are handled at a time: two of three.
TEST_F(AttentionTest, GoesOverThePairs) {
  CompareBoth<float>({1, 3, 1700, 1700, 4, 3}, {{"causal", true}}, 1e-5);
}

// A part of a pair's queries is handled at a time.
TEST_F(AttentionTest, GoesOverTheQueries) {
  CompareBoth<float>({1, 1, 3000, 3100, 2, 2}, {{"causal", false}}, 1e-5);
}

}  // namespace
}  // namespace dfrun::testing
