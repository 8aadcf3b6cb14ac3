// Random nodes over several signatures of one session. The values are those of a TensorFlow session that runs the same
// signatures one after the other.
#include <gtest/gtest.h>

#include "src/session/session.h"
#include "tests/unit/session/rank_threads.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

using testing::GraphMaker;
using testing::RankThreads;

GraphMaker RandomGraph(const std::string& device) {
  GraphMaker g;
  const Output shape = g.Const("shape", Tensor::Vector<int32_t>({3}));
  const Output a = g.Add("a", "RandomUniform", {shape}, {{"dtype", DType::kFloat}, {"seed", 7}, {"seed2", 9}});
  g.Add("b", "Mul", {a, g.Scalar("two", 2.0f)});
  const Output rows = g.Const("rows", Tensor::Vector<int32_t>({1, 2, 3, 4, 5}));
  const Output c = g.Add("c", "RandomShuffle", {rows}, {{"seed", 3}, {"seed2", 4}});
  g.Add("d", "AddV2", {c, g.Scalar("none", int32_t{0})});
  g.node(a).device = g.node(c).device = device;
  return g;
}

// The random nodes are on the only rank, or on another one.
class RandomSignatures : public ::testing::TestWithParam<int> {};

TEST_P(RandomSignatures, GoOnWhereTheLastOneWas) {
  const int ranks = GetParam();
  RankThreads threads(ranks, 1);
  auto session = Session::Create(threads.master(), RandomGraph(StrCat("/job:worker/task:", ranks - 1)).graph);
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  const auto run = [&](const std::string& fetch) {
    Result<std::vector<Tensor>> out = (*session)->Run({}, {fetch});
    EXPECT_TRUE(out.ok()) << out.status().ToString();
    return *(*out)[0].Copy(SystemAllocator());
  };
  const auto expect = [&](const std::string& fetch, std::initializer_list<float> values) {
    EXPECT_TRUE(run(fetch).Identical(Tensor::Vector<float>(values))) << fetch;
  };
  const auto expect_rows = [&](const std::string& fetch, std::initializer_list<int32_t> values) {
    EXPECT_TRUE(run(fetch).Identical(Tensor::Vector<int32_t>(values))) << fetch;
  };
  expect("a", {0.5363448858261108f, 0.4732365608215332f, 0.46388888359069824f});
  expect("b", {0.15588688850402832f, 0.6590218544006348f, 0.7889602184295654f});
  expect("b", {0.58316969871521f, 0.3236823081970215f, 0.5265374183654785f});
  expect_rows("c", {2, 1, 5, 4, 3});
  expect_rows("d", {5, 2, 4, 1, 3});
  expect_rows("c", {1, 3, 5, 2, 4});
  expect("a", {0.47762513160705566f, 0.9648565053939819f, 0.4096888303756714f});
}

TEST_P(RandomSignatures, BeginAnewInAnotherSession) {
  RankThreads threads(GetParam(), 1);
  for (int i = 0; i < 2; ++i) {
    auto session = Session::Create(threads.master(), RandomGraph("").graph);
    ASSERT_TRUE(session.ok()) << session.status().ToString();
    const Result<std::vector<Tensor>> out = (*session)->Run({}, {"a"});
    ASSERT_TRUE(out.ok()) << out.status().ToString();
    EXPECT_EQ((*out)[0].data<float>()[0], 0.5363448858261108f) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, RandomSignatures, ::testing::Values(1, 2));

}  // namespace
}  // namespace dfrun
