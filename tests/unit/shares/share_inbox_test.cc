// The inbox of named shares: what is put in, what is taken, and who waits.
#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "comm/in_process/in_process.h"
#include "kernels/shares/share_token.h"
#include "src/executor/step/worker_pool.h"
#include "src/graph/graph_ops.h"
#include "src/session/session.h"

namespace dfrun {
namespace {

class ShareInboxTest : public testing::Test {
 protected:
  void SetUp() override {
    Result<std::unique_ptr<Runtime>> runtime = Runtime::Create({}, std::move(comm::ConnectInProcess(1)[0]));
    ASSERT_TRUE(runtime.ok()) << runtime.status().ToString();
    runtime_ = *std::move(runtime);
    Graph graph;
    GraphOps ops(graph, "");
    const Output inbox = ops.Add("inbox", "_ShareInbox", {});
    const Output named = ops.Add("named", "Placeholder", {},
                                 {{"dtype", DType::kInt64}, {"shape", PartialShape({ShareToken::kElements})}});
    const Output a = ops.Add("a", "Placeholder", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({2})}});
    const Output b = ops.Add("b", "Placeholder", {}, {{"dtype", DType::kInt32}, {"shape", PartialShape::Scalar()}});
    const Output kept = ops.Add("kept", "_KeepNamed", {named, a, b});
    ops.Add("put", "_PutShare", {inbox, named, kept, {kept.node, 1}});
    const std::vector<DType> dtypes = {DType::kFloat, DType::kFloat, DType::kInt32, DType::kInt32};
    const std::vector<PartialShape> shapes = {PartialShape({2}), PartialShape({2}), PartialShape::Scalar(),
                                              PartialShape::Scalar()};
    ops.Add("take", "_TakeShares", {inbox}, {{"shares", int64_t{2}}, {"T", dtypes}, {"shapes", shapes}});
    ops.Add("open", "_OpenInbox", {inbox}, {{"open", true}});
    ops.Add("close", "_OpenInbox", {inbox}, {{"open", false}});
    ASSERT_TRUE(ops.status().ok()) << ops.status().ToString();
    Result<std::unique_ptr<Session>> session = Session::Create(*runtime_, std::move(graph));
    ASSERT_TRUE(session.ok()) << session.status().ToString();
    session_ = *std::move(session);
    take_ = *session_->Prepare({}, {"take:0", "take:1", "take:2", "take:3"});
  }

  void Put(const ShareToken& named, float value) {
    const Result<std::vector<Tensor>> put = session_->Run({{"named", named.ToTensor()},
                                                           {"a", Tensor::Vector<float>({value, -value})},
                                                           {"b", Tensor::Scalar(static_cast<int32_t>(value))}},
                                                          {}, {"put"});
    ASSERT_TRUE(put.ok()) << put.status().ToString();
    runtime_->pool().RunQueuedAlone();  // the call that waited for it goes on
  }
  void Run(const char* target) {
    ASSERT_TRUE(session_->Run({}, {}, {target}).ok());
    runtime_->pool().RunQueuedAlone();
  }

  std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<Session> session_;
  Session::Handle take_ = nullptr;
};

TEST_F(ShareInboxTest, AStepTakesItsSharesInTheirOrder) {
  const std::unique_ptr<PendingStep> step = *session_->StartStep(take_);
  Put({.share = 70, .step = 3}, 7);
  EXPECT_FALSE(step->ended());
  Put({.refusal = ShareToken::kNoShare}, 9);  // too late: it is dropped
  EXPECT_FALSE(step->ended());
  Put({.share = 20, .step = 3}, 2);
  EXPECT_TRUE(step->ended());
  std::array<Tensor, 4> values;
  ASSERT_TRUE(step->Wait(values).ok());
  EXPECT_EQ(values[0].data<float>()[0], 2);
  EXPECT_EQ(values[1].data<float>()[1], -7);
  EXPECT_EQ(values[2].scalar<int32_t>(), 2);
  EXPECT_EQ(values[3].scalar<int32_t>(), 7);
}

TEST_F(ShareInboxTest, WhoWaitsEndsWhenTheInboxIsClosed) {
  const std::unique_ptr<PendingStep> step = *session_->StartStep(take_);
  Put({.share = 1, .step = 0}, 1);
  Run("close");
  EXPECT_TRUE(step->ended());
  std::array<Tensor, 4> values;
  EXPECT_EQ(step->Wait(values).code(), Code::kFailedPrecondition);
  Run("open");
  Put({.share = 2, .step = 0}, 2);  // the share that was in it is gone
  const std::unique_ptr<PendingStep> next = *session_->StartStep(take_);
  EXPECT_FALSE(next->ended());
  Put({.share = 4, .step = 0}, 4);
  EXPECT_TRUE(next->ended());
  EXPECT_TRUE(next->Wait(values).ok());
}

}  // namespace
}  // namespace dfrun
