// States of objects as tensors: given back they are the same, and tensors that are no state change nothing.
#include "src/framework/kernel/object_state.h"

#include <gtest/gtest.h>

#include "kernels/state/packed_tensors.h"
#include "src/session/session.h"
#include "tests/unit/session/rank_threads.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

using testing::GraphMaker;
using testing::RankThreads;

const std::vector<DType> kComponents = {DType::kFloat, DType::kString};
const AttrMap kQueueAttrs = {{"component_types", kComponents}, {"capacity", int64_t{10}}};

// A queue of elements of any shapes, another one, and nodes that take the state of the first and give one to the
// second.
class QueueStateTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const ObjectState& state = *FindObjectState("FIFOQueueV2");
    Result<std::vector<StatePart>> parts = state.parts(kQueueAttrs);
    ASSERT_TRUE(parts.ok()) << parts.status().ToString();
    parts_ = *parts;
    AttrMap attrs = StateAttrs(state, "FIFOQueueV2", {DType::kResource}, parts_);
    GraphMaker g;
    const Output from = g.Add("from", "FIFOQueueV2", {}, kQueueAttrs);
    const Output to = g.Add("to", "FIFOQueueV2", {}, kQueueAttrs);
    const Output number = g.Placeholder("number", PartialShape(), DType::kFloat);
    const Output text = g.Placeholder("text", PartialShape(), DType::kString);
    g.Add("put", "QueueEnqueueV2", {from, number, text});
    g.Add("close", "QueueCloseV2", {from});
    g.Add("state", "_ObjectState", {from}, attrs);
    std::vector<Output> inputs = {to};
    for (const StatePart& part : parts_) inputs.push_back(g.Placeholder(part.name, PartialShape(), part.dtype));
    g.Add("set", "_SetObjectState", inputs, attrs);
    g.Add("get", "QueueDequeueV2", {to}, {{"component_types", kComponents}});
    g.Add("size", "QueueSizeV2", {to});
    g.Add("ended", "QueueIsClosedV2", {to});
    Result<std::unique_ptr<Session>> session = Session::Create(ranks_.master(), std::move(g.graph));
    ASSERT_TRUE(session.ok()) << session.status().ToString();
    session_ = *std::move(session);
  }

  void Put(const Tensor& number, const Tensor& text) {
    const Status put = session_->Run({{"number", number}, {"text", text}}, {}, {"put"}).status();
    ASSERT_TRUE(put.ok()) << put.ToString();
  }
  std::vector<Tensor> State() {
    std::vector<std::string> names;
    for (size_t i = 0; i < parts_.size(); ++i) names.push_back(StrCat("state:", i));
    Result<std::vector<Tensor>> state = session_->Run({}, names);
    EXPECT_TRUE(state.ok()) << state.status().ToString();
    return *std::move(state);
  }
  Status Set(const std::vector<Tensor>& state) {
    std::vector<std::pair<std::string, Tensor>> feeds;
    for (size_t i = 0; i < parts_.size(); ++i) feeds.emplace_back(parts_[i].name, state[i]);
    return session_->Run(feeds, {}, {"set"}).status();
  }
  Tensor Fetch(const std::string& name) {
    Result<std::vector<Tensor>> value = session_->Run({}, {name});
    EXPECT_TRUE(value.ok()) << value.status().ToString();
    return (*value)[0];
  }

  RankThreads ranks_{1};
  std::vector<StatePart> parts_;
  std::unique_ptr<Session> session_;
};

TEST_F(QueueStateTest, IsTheSameWhenItIsGivenBack) {
  const Tensor empty(DType::kFloat, Shape({2, 0}));
  const Tensor texts = Tensor::Vector<std::string>({"", std::string("a\0b", 3)});
  Put(Tensor::Vector<float>({1, 2, 3}), Tensor::Scalar<std::string>("x"));
  Put(empty, texts);
  ASSERT_TRUE(Set(State()).ok());
  EXPECT_FALSE(Fetch("ended").scalar<bool>());
  ASSERT_TRUE(session_->Run({}, {}, {"close"}).ok());
  ASSERT_TRUE(Set(State()).ok());  // in place of what it holds
  EXPECT_EQ(Fetch("size").scalar<int32_t>(), 2);
  EXPECT_TRUE(Fetch("ended").scalar<bool>());
  EXPECT_TRUE(Fetch("get").Identical(Tensor::Vector<float>({1, 2, 3})));
  EXPECT_TRUE(Fetch("get:1").Identical(texts));
}

TEST_F(QueueStateTest, OfAnEmptyOneIsNothing) {
  Put(Tensor::Scalar(1.F), Tensor::Scalar<std::string>("x"));
  const std::vector<Tensor> one = State();
  ASSERT_TRUE(Set(one).ok());
  EXPECT_EQ(Fetch("size").scalar<int32_t>(), 1);
  std::vector<Tensor> none;
  for (const StatePart& part : parts_) {
    none.emplace_back(part.dtype, part.shape.rank() == 0 ? Shape() : Shape({0}));
  }
  *none[0].data<bool>() = false;
  ASSERT_TRUE(Set(none).ok());
  EXPECT_EQ(Fetch("size").scalar<int32_t>(), 0);
}

TEST_F(QueueStateTest, WhatIsNoneChangesNothing) {
  Put(Tensor::Vector<float>({1, 2}), Tensor::Scalar<std::string>("x"));
  const std::vector<Tensor> good = State();
  ASSERT_TRUE(Set(good).ok());
  const auto refused = [&](size_t part, const Tensor& value) {
    std::vector<Tensor> bad = good;
    bad[part] = value;
    return Set(bad).code() == Code::kDataLoss;
  };
  EXPECT_TRUE(refused(0, Tensor::Vector<bool>({true, false})));
  EXPECT_TRUE(refused(1, Tensor::Vector<float>({1})));  // an element too few
  EXPECT_TRUE(refused(1, Tensor::Vector<float>({1, 2, 3})));
  EXPECT_TRUE(refused(1, Tensor::Scalar(1.F)));
  for (const std::initializer_list<int64_t> shapes : {std::initializer_list<int64_t>{},
                                                      {1},
                                                      {1, -2},
                                                      {-1, 2},
                                                      {3, 1, 2},
                                                      {1, 2, 1},
                                                      {255, 2},
                                                      {2, INT64_MAX, 2},
                                                      {1, 2, 0},
                                                      {0, 0}}) {
    EXPECT_TRUE(refused(2, Tensor::Vector<int64_t>(shapes))) << Tensor::Vector<int64_t>(shapes).ToString();
  }
  EXPECT_EQ(Fetch("size").scalar<int32_t>(), 1);
  EXPECT_TRUE(Fetch("get").Identical(Tensor::Vector<float>({1, 2})));
}

TEST(ObjectState, OfEveryKindHasPartsThatCanBeKept) {
  const AttrMap attrs = {{"component_types", std::vector<DType>{DType::kVariant}},
                         {"key_dtype", DType::kString},
                         {"value_dtype", DType::kResource},
                         {"dtype", DType::kVariant}};
  for (const char* op : {"FIFOQueueV2", "PriorityQueueV2", "MutableHashTableV2", "VarHandleOp"}) {
    const Status status = FindObjectState(op)->parts(attrs).status();
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << op;
    EXPECT_NE(status.message().find("stands for objects of this process"), std::string::npos) << status.ToString();
  }
}

// Every op that makes objects must say which state of them is kept, even if none is.
TEST(ObjectState, IsSaidOfEveryOpThatMakesObjects) {
  for (const OpDef* op : OpRegistry::Builtin().List()) {
    const bool names_object = op->FindAttr("container") != nullptr && op->FindAttr("shared_name") != nullptr;
    if (!names_object || op->name == "Variable" || op->name == "VariableV2") continue;
    EXPECT_NE(FindObjectState(op->name), nullptr) << op->name;
  }
}

}  // namespace
}  // namespace dfrun
