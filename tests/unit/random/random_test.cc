// Sequences: the numbers of a random op when it runs again. The golden cases have its first numbers.
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "kernels/random/distributions.h"
#include "kernels/random/fill_random.h"
#include "kernels/random/philox.h"
#include "kernels/random/random_state.h"
#include "tests/unit/testing/node_runner.h"

namespace dfrun {
namespace {

using testing::NodeRunner;

// The numbers are the paper's own test vectors (Random123, kat_vectors): philox4x32-10 of zeros.
TEST(Philox, GivesThePublishedNumbers) {
  Philox zero(0, 0);
  EXPECT_EQ(zero.Next(), (Philox::Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
}

TEST(Philox, SkippingIsCounting) {
  Philox a(1, 2);
  Philox b(1, 2);
  for (int i = 0; i < 5; ++i) a.Next();
  b.Skip(5);
  EXPECT_EQ(a.Next(), b.Next());
  Philox c(1, 2);
  Philox d(1, 3);
  c.Skip(UINT64_MAX);
  c.Skip(1);  // carries into the upper half
  EXPECT_EQ(c.Next(), d.Next());
}

TEST(Philox, LanesAreTheNextBlocks) {
  Philox one_by_one(9, UINT64_MAX - 2, 5);  // the fourth block carries into the upper half
  Philox lanes(9, UINT64_MAX - 2, 5);
  const Philox::Lanes<8> words = lanes.NextLanes<8>();
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(one_by_one.Next(), (Philox::Block{words[0][i], words[1][i], words[2][i], words[3][i]})) << i;
  }
  EXPECT_EQ(one_by_one.Next(), lanes.Next());
}

class RandomStateTest : public ::testing::Test {
 protected:
  NodeInfo info_{"node", OpRegistry::Builtin().Find("RandomUniform"), {}, {}};
  AttrMap attrs_ = {{"seed", 1}, {"seed2", 2}};
  NodeRunner runner_;
  KernelSetup setup_{info_, attrs_, runner_.device(), {}, {}, {}};
};

// The numbers are TensorFlow 2.21's in two runs of RandomUniform(shape=[2], seed=1, seed2=2).
TEST_F(RandomStateTest, TheSecondRunGoesOnWhereTensorFlowsDoes) {
  RandomState state(setup_);
  const float expected[2][2] = {{0.40639675F, 0.8575996F}, {0.6038654F, 0.52610815F}};
  for (const auto& run : expected) {
    InlineThreadPool pool;
    float values[2];
    FillRandom(pool, state.Reserve(StepContext(), 2 * kBlocksPerNumber), dist::Uniform<float>(), values, 2);
    EXPECT_EQ(values[0], run[0]);
    EXPECT_EQ(values[1], run[1]);
  }
}

TEST_F(RandomStateTest, ConcurrentStretchesDoNotOverlap) {
  RandomState state(setup_);
  std::vector<std::thread> threads;
  std::vector<std::vector<uint32_t>> firsts(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 500; ++i) firsts[t].push_back(state.Reserve(StepContext(), 1).Next()[0]);
    });
  }
  for (std::thread& t : threads) t.join();
  std::set<uint32_t> seen;
  for (const auto& list : firsts) seen.insert(list.begin(), list.end());
  std::set<uint32_t> expected;
  Philox generator(1, 2);
  for (int i = 0; i < 2000; ++i) expected.insert(generator.Next()[0]);
  EXPECT_EQ(seen, expected);
}

TEST(Random, LargeTensorsAreTheSameOnAnyNumberOfThreads) {
  NodeRunner runner;
  for (const char* op : {"RandomUniform", "RandomStandardNormal", "TruncatedNormal"}) {
    const AttrMap attrs = {{"seed", 3}, {"seed2", 4}, {"dtype", DType::kFloat}};
    const Result<std::vector<Tensor>> y = runner.Run(op, attrs, {Tensor::Vector<int32_t>({300, 101})});
    ASSERT_TRUE(y.ok()) << y.status().ToString();
    double sum = 0;
    for (float v : (*y)[0].values<float>()) sum += v;
    // Five deviations of the mean of 30,300 numbers.
    EXPECT_NEAR(sum / 30300, op == std::string("RandomUniform") ? 0.5 : 0.0, 5 / std::sqrt(30300.0)) << op;
  }
}

// Run() compares the bits of one thread and of several.
TEST(Random, ManySamplesAreTheSameOnAnyNumberOfThreads) {
  NodeRunner runner;
  const AttrMap seeds = {{"seed", 3}, {"seed2", 4}};
  const Tensor thousand = Tensor::Vector<int32_t>({1000});
  const Tensor parameters = Tensor::Vector<double>({0.5, 3, 20});
  for (const char* op : {"RandomGamma", "RandomPoissonV2"}) {
    AttrMap attrs = seeds;
    if (op == std::string("RandomPoissonV2")) attrs.Set("dtype", DType::kDouble);
    const auto samples = runner.Run(op, attrs, {thousand, parameters});
    ASSERT_TRUE(samples.ok()) << samples.status().ToString();
    for (int64_t p = 0; p < 3; ++p) {
      double sum = 0;
      for (int64_t i = p; i < 3000; i += 3) sum += (*samples)[0].data<double>()[i];
      // Mean and variance of either distribution are its parameter: five deviations of the mean of 1,000.
      const double expected = parameters.data<double>()[p];
      EXPECT_NEAR(sum / 1000, expected, 5 * std::sqrt(expected / 1000)) << op;
    }
  }
  std::vector<double> logits;
  for (int row = 0; row < 40; ++row) logits.insert(logits.end(), {0, std::log(3.0)});
  const auto drawn =
      runner.Run("Multinomial", seeds, {testing::Make<double>(Shape({40, 2}), logits), Tensor::Scalar<int32_t>(500)});
  ASSERT_TRUE(drawn.ok()) << drawn.status().ToString();
  double second = 0;
  for (int64_t c : (*drawn)[0].values<int64_t>()) second += static_cast<double>(c);
  EXPECT_NEAR(second / 20000, 0.75, 5 * std::sqrt(0.75 * 0.25 / 20000));
}

}  // namespace
}  // namespace dfrun
