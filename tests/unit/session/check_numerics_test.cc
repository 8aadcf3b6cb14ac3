// Gates of updates, and the check after each node, over one rank and over two.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "src/graph/update_gate.h"
#include "src/session/node_capture.h"
#include "src/session/session.h"
#include "tests/unit/session/rank_threads.h"
#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

using ::testing::HasSubstr;

constexpr float kInf = std::numeric_limits<float>::infinity();

// Each step multiplies `x` by 1e10 on the last rank, and adds 1 to `count` on the first. Beginning with 1, the fourth
// product is infinite. Both updates wait for gates that check the product.
class CheckNumericsTest : public ::testing::TestWithParam<int> {
 protected:
  CheckNumericsTest() { options_.keep_bytes = 8; }
  void SetUp() override {
    const int last = GetParam() - 1;
    x_ = Variable("x", last);
    const Output times =
        Named(last, "times", "Const", {}, {{"value", Tensor::Scalar(1e10F)}, {"dtype", DType::kFloat}});
    const Output product = Named(last, "product", "Mul", {x_, times});
    const Output one = Named(0, "one", "Const", {}, {{"value", Tensor::Scalar(1.0F)}, {"dtype", DType::kFloat}});
    const Output count = Variable("count", 0);
    AddUpdate("set", last, "Assign", {x_, product}, product);
    AddUpdate("add", 0, "AssignAdd", {count, one}, product);
    Named(0, "root", "Sqrt", {Named(last, "below", "Neg", {one})});
    Named(0, "after", "Exp", {Output{m_.graph.Find("root"), 0}});
    Init("x", x_, 1.0F, last);
    Init("count", count, 0.0F, 0);
    Named(last, "set_inf", "Assign",
          {x_, Named(last, "inf", "Const", {}, {{"value", Tensor::Scalar(kInf)}, {"dtype", DType::kFloat}})});
    ranks_ = std::make_unique<testing::RankThreads>(GetParam());
    auto session = Session::Create(ranks_->master(), std::move(m_.graph), options_);
    ASSERT_TRUE(session.ok()) << session.status().ToString();
    session_ = *std::move(session);
    ASSERT_TRUE(session_->Run({}, {}, {"x_init", "count_init"}).ok());
  }

  Output Named(int rank, const std::string& name, const std::string& op, std::vector<Output> inputs,
               AttrMap attrs = {}) {
    const Output added = m_.Add(name, op, std::move(inputs), std::move(attrs));
    m_.node(added).device = StrCat("/job:worker/task:", rank);
    return added;
  }
  Output Variable(const std::string& name, int rank) {
    return Named(rank, name, "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", Shape()}});
  }
  void Init(const std::string& name, Output variable, float value, int rank) {
    const Output first =
        Named(rank, name + "_first", "Const", {}, {{"value", Tensor::Scalar(value)}, {"dtype", DType::kFloat}});
    Named(rank, name + "_init", "Assign", {variable, first});
  }
  void AddUpdate(const std::string& name, int rank, const std::string& op, std::vector<Output> inputs, Output checked) {
    const Output gate = Named(rank, name + "_gate", kUpdateGateOp, {checked});
    const Output update = Named(rank, name, op, std::move(inputs));
    m_.node(update).attrs.Set(kGatedAttr, true);
    m_.graph.AddControlEdge(gate.node, update.node);
  }
  float Value(const std::string& name) {
    const auto values = session_->Run({}, {name});
    EXPECT_TRUE(values.ok()) << values.status().ToString();
    return (*values)[0].scalar<float>();
  }
  Session::Handle Step() { return *session_->Prepare({}, {}, {"set", "add"}); }
  Status Check(const std::string& fetch) {
    RunSignature signature;
    signature.fetches = {{session_->graph().Find(fetch), 0}};
    std::vector<Tensor> fetched(1);
    Status found = session_->CheckNumerics(signature, /*optimize=*/false, fetched);
    EXPECT_TRUE(fetched[0].initialized());  // the step runs to its end
    return found;
  }

  SessionOptions options_;
  testing::GraphMaker m_;
  Output x_;
  std::unique_ptr<testing::RankThreads> ranks_;
  std::unique_ptr<Session> session_;
};

INSTANTIATE_TEST_SUITE_P(Ranks, CheckNumericsTest, ::testing::Values(1, 2));

TEST_P(CheckNumericsTest, UpdatesOfAStepThatIsNotFiniteAreLeftOutOnEveryRank) {
  ASSERT_TRUE(session_->RunSteps(Step(), 10).ok());
  EXPECT_FLOAT_EQ(Value("x"), 1e30F);
  EXPECT_EQ(Value("count"), 3);
  EXPECT_EQ(session_->steps_not_finite(), 7);
}

TEST_P(CheckNumericsTest, StepsStopAtTheFirst) {
  const Session::Handle step = Step();
  const int64_t before = session_->steps_run();
  NotFiniteRow first{.limit = 1};
  ASSERT_TRUE(session_->RunSteps(step, 250, &first).ok());
  EXPECT_TRUE(first.is_full());
  EXPECT_EQ(session_->steps_run() - before, 4);
  EXPECT_EQ(session_->steps_not_finite(), 1);
  EXPECT_EQ(session_->TakeFirstNotFinite(), 1);  // the number of the gate's only value
  EXPECT_EQ(session_->TakeFirstNotFinite(), 0);
  NotFiniteRow second{.limit = 1};
  ASSERT_TRUE(session_->RunSteps(step, 250, &second).ok());  // ranks are still in step
  EXPECT_EQ(session_->steps_run() - before, 5);
  EXPECT_EQ(Value("count"), 3);
}

TEST_P(CheckNumericsTest, ARowOfStepsGoesOnOverRequests) {
  const Session::Handle step = Step();
  const int64_t before = session_->steps_run();
  NotFiniteRow row{.limit = 6};
  ASSERT_TRUE(session_->RunSteps(step, 5, &row).ok());  // the last two of them
  EXPECT_EQ(row.length, 2);
  ASSERT_TRUE(session_->RunSteps(step, 250, &row).ok());
  EXPECT_EQ(row.length, 6);
  EXPECT_EQ(session_->steps_run() - before, 9);
  ASSERT_TRUE(session_->Run({}, {}, {"x_init"}).ok());
  row = {.length = 5, .limit = 6};
  ASSERT_TRUE(session_->RunSteps(step, 3, &row).ok());
  EXPECT_EQ(row.length, 0);
}

TEST_P(CheckNumericsTest, TheNodeThatMadeItIsNamed) {
  ASSERT_TRUE(session_->RunSteps(Step(), 3).ok());
  const Status found = Check("product");
  EXPECT_EQ(found.code(), Code::kNotFinite);
  EXPECT_EQ(found.message().find("node 'product' (op Mul) on "), 0u) << found.message();
  EXPECT_THAT(found.message(), HasSubstr("made inf in its output 0"));
  EXPECT_THAT(found.message(), HasSubstr(StrCat("on rank ", GetParam() - 1, " (host ")));
  EXPECT_FLOAT_EQ(Value("x"), 1e30F);  // and the session goes on
}

TEST_P(CheckNumericsTest, WhatIsMadeOfItIsNot) {
  const Status found = Check("after");
  EXPECT_EQ(found.message().find("node 'root' (op Sqrt) on "), 0u) << found.message();
  EXPECT_THAT(found.message(), HasSubstr("on rank 0 (host "));
}

TEST_P(CheckNumericsTest, AVariableThatHoldsItIsNamed) {
  ASSERT_TRUE(session_->Run({}, {}, {"set_inf"}).ok());
  const Status found = Check("product");
  EXPECT_THAT(found.message(), HasSubstr("node 'product' (op Mul)"));
  EXPECT_THAT(found.message(), HasSubstr("reads the variable 'x', which held inf"));
}

TEST_P(CheckNumericsTest, ValuesThatAreFiniteAreNoFinding) {
  EXPECT_TRUE(Check("product").ok());
}

TEST_P(CheckNumericsTest, ValuesThatAreTooLargeAreNotWritten) {
  ASSERT_TRUE(session_->RunSteps(Step(), 3).ok());
  const ScratchDirectory scratch;
  const CaptureRequest request{
      .path = scratch.Path("made/node.h5"), .found = Check("product").message(), .step = 4, .version = "1"};
  EXPECT_EQ(session_->WriteCapture(request).code(), Code::kFailedPrecondition);  // 2 inputs and an output of 4 bytes
  EXPECT_EQ(ReadCapture(request.path).status().code(), Code::kNoInput);
  EXPECT_FLOAT_EQ(Value("x"), 1e30F);  // and the session goes on
}

// This fixture has room for the values of a node.
class CaptureTest : public CheckNumericsTest {
 protected:
  CaptureTest() { options_.keep_bytes = 12; }
};

INSTANTIATE_TEST_SUITE_P(Ranks, CaptureTest, ::testing::Values(1, 2));

TEST_P(CaptureTest, TheNodeIsWrittenWithItsValues) {
  ASSERT_TRUE(session_->RunSteps(Step(), 3).ok());
  const ScratchDirectory scratch;
  const std::string found = Check("product").message();
  const CaptureRequest request{.path = scratch.Path("made/node.h5"), .found = found, .step = 4, .version = "1"};
  const Status written = session_->WriteCapture(request);
  ASSERT_TRUE(written.ok()) << written.ToString();
  const Result<NodeCapture> capture = ReadCapture(request.path);
  ASSERT_TRUE(capture.ok()) << capture.status().ToString();
  EXPECT_EQ(capture->graph.node(capture->node).name, "product");
  EXPECT_EQ(capture->graph.node(capture->node).op->name, "Mul");
  ASSERT_EQ(capture->inputs.size(), 2u);
  EXPECT_FLOAT_EQ(capture->inputs[0].scalar<float>(), 1e30F);
  EXPECT_FLOAT_EQ(capture->inputs[1].scalar<float>(), 1e10F);
  ASSERT_EQ(capture->outputs.size(), 1u);
  EXPECT_EQ(capture->outputs[0].scalar<float>(), kInf);
  EXPECT_EQ(capture->found, found);
  EXPECT_EQ(capture->step, 4);
  EXPECT_EQ(capture->rank, GetParam() - 1);
  EXPECT_FALSE(capture->position.has_value());
}

// Each step is checked.
class CheckedSessionTest : public CheckNumericsTest {
 protected:
  CheckedSessionTest() {
    options_.check_numerics = true;
    options_.optimize = false;
  }
};

INSTANTIATE_TEST_SUITE_P(Ranks, CheckedSessionTest, ::testing::Values(1, 2));

TEST_P(CheckedSessionTest, TheFirstStepThatIsNotFiniteFails) {
  const int64_t before = session_->steps_run();
  const Status status = session_->RunSteps(Step(), 250);
  EXPECT_EQ(status.code(), Code::kNotFinite);
  EXPECT_THAT(status.message(), HasSubstr("node 'product' (op Mul)"));
  EXPECT_EQ(session_->steps_run() - before, 4);
  const Result<std::vector<Tensor>> again = session_->Run({}, {"product"});
  EXPECT_EQ(again.status().code(), Code::kNotFinite);
  EXPECT_FLOAT_EQ(Value("x"), 1e30F);  // and the session goes on
}

}  // namespace
}  // namespace dfrun
