// A session whose graph grows, several steps at once, containers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "src/session/session.h"
#include "tests/unit/session/rank_threads.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

using testing::GraphMaker;
using ::testing::HasSubstr;
using testing::RankThreads;

// v holds 5 once `init` has run; `count` adds 1 to it; doubled = x + x.
GraphMaker MakeGraph(const std::string& container = "") {
  GraphMaker g;
  const Output v = g.Add("v", "VariableV2", {},
                         {{"dtype", DType::kFloat}, {"shape", PartialShape::Scalar()}, {"container", container}});
  g.Add("init", "Assign", {v, g.Scalar("five", 5.0f)});
  g.Add("count", "AssignAdd", {v, g.Scalar("one", 1.0f)});
  const Output x = g.Placeholder("x", {-1}, DType::kFloat);
  g.Add("doubled", "Add", {x, x});
  return g;
}

std::unique_ptr<Session> Open(Runtime& runtime, GraphMaker graph) {
  Result<std::unique_ptr<Session>> session = Session::Create(runtime, std::move(graph.graph));
  EXPECT_TRUE(session.ok()) << session.status().ToString();
  return *std::move(session);
}

float Scalar(Session& session, const std::string& fetch) {
  const Result<std::vector<Tensor>> out = session.Run({}, {fetch});
  EXPECT_TRUE(out.ok()) << out.status().ToString();
  return out.ok() ? (*out)[0].scalar<float>() : -1;
}

constexpr char kTriple[] = R"(
    node { name: 'three' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } }
           attr { key: 'value' value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 3 } } } }
    node { name: 'triple' op: 'Mul' input: 'three' input: 'count' })";

class ExtendOnRanks : public ::testing::TestWithParam<int> {};

TEST_P(ExtendOnRanks, NewNodesReadTheOldOnesAndStateStays) {
  RankThreads ranks(GetParam());
  GraphMaker g = MakeGraph();
  g.node(Output{g.graph.Find("v"), 0}).device = StrCat("/job:worker/task:", GetParam() - 1);
  const std::unique_ptr<Session> session = Open(ranks.master(), std::move(g));
  ASSERT_TRUE(session->Run({}, {}, {"init"}).ok());
  const Result<Session::Handle> count = session->Prepare({}, {"count"});
  ASSERT_TRUE(count.ok()) << count.status().ToString();
  const Status extended = session->Extend(kTriple, GraphDefFormat::kText);
  ASSERT_TRUE(extended.ok()) << extended.ToString();
  EXPECT_EQ(Scalar(*session, "triple"), 18);
  Tensor out[1];
  ASSERT_TRUE(session->RunStep(*count, {}, out).ok());
  EXPECT_EQ(out[0].scalar<float>(), 7);
}

INSTANTIATE_TEST_SUITE_P(Ranks, ExtendOnRanks, ::testing::Values(1, 2, 3));

TEST(ExtendTest, FunctionsOfTheAdditionAreLoweredAndIdsStay) {
  RankThreads ranks(1);
  const std::unique_ptr<Session> session = Open(ranks.master(), MakeGraph());
  const NodeId doubled = session->graph().Find("doubled");
  const Status status = session->Extend(R"(
      library { function { signature { name: 'square' input_arg { name: 'a' type: DT_FLOAT }
                                       output_arg { name: 'b' type: DT_FLOAT } }
                           node_def { name: 'm' op: 'Mul' input: 'a' input: 'a'
                                      attr { key: 'T' value { type: DT_FLOAT } } }
                           ret { key: 'b' value: 'm:z:0' } } }
      node { name: 'call' op: 'square' input: 'doubled' })",
                                        GraphDefFormat::kText);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(session->graph().Find("doubled"), doubled);
  const Result<std::vector<Tensor>> out = session->Run({{"x", Tensor::Vector<float>({1, 2})}}, {"call", "doubled"});
  ASSERT_TRUE(out.ok()) << out.status().ToString();
  EXPECT_TRUE((*out)[0].Identical(Tensor::Vector<float>({4, 16})));
  EXPECT_TRUE((*out)[1].Identical(Tensor::Vector<float>({2, 4})));
}

TEST(ExtendTest, AnErrorLeavesTheSessionAsItWas) {
  RankThreads ranks(2);
  const std::unique_ptr<Session> session = Open(ranks.master(), MakeGraph());
  const int nodes = session->graph().num_nodes();
  const auto error = [&](const char* text) { return session->Extend(text, GraphDefFormat::kText).message(); };
  EXPECT_THAT(error("node { name: 'v' op: 'NoOp' }"), HasSubstr("'v'"));
  EXPECT_THAT(error("node { name: 'a' op: 'NoOp' } node { name: 'b' op: 'Identity' input: 'nowhere' }"),
              HasSubstr("'nowhere'"));
  EXPECT_THAT(error("node { name: 'a' op: 'AssignAdd' input: 'v' input: 'one' device: '/task:1' }"),
              HasSubstr("cannot move"));
  EXPECT_EQ(session->Extend([](Graph&) { return InvalidArgument("no"); }).message(), "no");
  EXPECT_EQ(session->graph().num_nodes(), nodes);
  ASSERT_TRUE(session->Run({}, {}, {"init"}).ok());
  EXPECT_EQ(Scalar(*session, "count"), 6);
}

TEST(SessionAtOnceTest, StepsOfSeveralThreadsAreIndependent) {
  RankThreads ranks(1, 2);
  const std::unique_ptr<Session> session = Open(ranks.master(), MakeGraph());
  const Result<Session::Handle> step = session->Prepare({"x"}, {"doubled:0"});
  ASSERT_TRUE(step.ok()) << step.status().ToString();
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const float value = static_cast<float>(t * 1000 + i);
        const Tensor feed[] = {Tensor::Vector<float>({value})};
        Tensor out[1];
        const bool prepared = i % 2 == 0;
        Result<std::vector<Tensor>> by_name = std::vector<Tensor>();
        if (prepared && !session->RunStep(*step, feed, out).ok()) ++wrong[t];
        if (!prepared) {
          by_name = session->Run({{"x", feed[0]}}, {"doubled"});
          if (by_name.ok()) out[0] = (*by_name)[0];
        }
        if (!out[0].initialized() || out[0].values<float>()[0] != 2 * value) ++wrong[t];
      }
    });
  }
  for (int i = 0; i < 20; ++i) {
    const std::string text = StrCat("node { name: 'extra", i, "' op: 'NoOp' }");
    EXPECT_TRUE(session->Extend(text, GraphDefFormat::kText).ok());
    EXPECT_TRUE(session->Run({}, {}, {StrCat("extra", i)}).ok());
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

TEST(ContainersTest, SessionsOfAProcessShareThemByName) {
  RankThreads ranks(1);
  const std::unique_ptr<Session> first = Open(ranks.master(), MakeGraph("shared"));
  const std::unique_ptr<Session> second = Open(ranks.master(), MakeGraph("shared"));
  const std::unique_ptr<Session> other = Open(ranks.master(), MakeGraph("other"));
  ASSERT_TRUE(first->Run({}, {}, {"init"}).ok());
  EXPECT_EQ(Scalar(*second, "count"), 6);
  EXPECT_EQ(Scalar(*first, "count"), 7);
  EXPECT_THAT(other->Run({}, {"count"}).status().message(), HasSubstr("uninitialized value v"));
}

class ContainersOnRanks : public ::testing::TestWithParam<int> {};

TEST_P(ContainersOnRanks, AResetForgetsOnlyTheContainersNamed) {
  RankThreads ranks(GetParam());
  GraphMaker g = MakeGraph("named");
  const Output w = g.Add("w", "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape::Scalar()}});
  g.Add("init_w", "Assign", {w, g.Scalar("nine", 9.0f)});
  for (Output o : {Output{g.graph.Find("v"), 0}, w}) g.node(o).device = StrCat("/task:", GetParam() - 1);
  const std::unique_ptr<Session> session = Open(ranks.master(), std::move(g));
  ASSERT_TRUE(session->Run({}, {}, {"init", "init_w"}).ok());
  const Result<Session::Handle> count = session->Prepare({}, {"count"});
  ASSERT_TRUE(count.ok());
  ASSERT_TRUE(session->ResetContainers({"named"}).ok());
  Tensor out[1];
  EXPECT_EQ(session->RunStep(*count, {}, out).code(), Code::kFailedPrecondition);
  EXPECT_EQ(Scalar(*session, "w"), 9);
  ASSERT_TRUE(session->ResetContainers().ok());
  ASSERT_TRUE(session->Run({}, {}, {"init"}).ok());
  EXPECT_EQ(Scalar(*session, "count"), 6);
  EXPECT_THAT(session->Run({}, {"w"}).status().message(), HasSubstr("uninitialized value w"));
}

INSTANTIATE_TEST_SUITE_P(Ranks, ContainersOnRanks, ::testing::Values(1, 3));

}  // namespace
}  // namespace dfrun
