#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/unit/testing/node_runner.h"

namespace dfrun {
namespace {

using testing::Make;
using testing::NodeRunner;
using Way = NodeRunner::Way;

class VariableOps : public ::testing::Test {
 protected:
  // The ref that a VariableV2 of this name gives.
  Variable& Ref(const std::string& shared_name, DType dtype, const PartialShape& shape) {
    auto made = runner_.Run(Way::kStaticShapes, "VariableV2",
                            {{"dtype", dtype}, {"shape", shape}, {"shared_name", shared_name}}, {});
    EXPECT_TRUE(made.ok()) << made.status().ToString();
    return *(*made)[0].variable();
  }
  Tensor Handle(const std::string& shared_name, DType dtype, const PartialShape& shape) {
    auto made = runner_.Run(Way::kStaticShapes, "VarHandleOp",
                            {{"dtype", dtype}, {"shape", shape}, {"shared_name", shared_name}}, {});
    EXPECT_TRUE(made.ok()) << made.status().ToString();
    return (*made)[0];
  }
  Result<std::vector<Tensor>> Run(const std::string& op, const std::vector<testing::Input>& inputs,
                                  const AttrMap& attrs = {}, Way way = Way::kStaticShapes) {
    return runner_.Run(way, op, attrs, inputs);
  }

  NodeRunner runner_;
};

TEST_F(VariableOps, AreFoundByNameAndChecked) {
  Variable& v = Ref("v", DType::kFloat, PartialShape({2}));
  EXPECT_EQ(&Ref("v", DType::kFloat, PartialShape({-1})), &v);
  EXPECT_NE(&Ref("w", DType::kFloat, PartialShape({2})), &v);
  for (const AttrMap& clash : {AttrMap{{"dtype", DType::kDouble}, {"shape", PartialShape({2})}, {"shared_name", "v"}},
                               AttrMap{{"dtype", DType::kFloat}, {"shape", PartialShape({3})}, {"shared_name", "v"}}}) {
    auto made = runner_.Run(Way::kStaticShapes, "VariableV2", clash, {});
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.status().code(), Code::kInvalidArgument);
  }
}

TEST_F(VariableOps, AssignThenAddThenSubtract) {
  Variable& v = Ref("v", DType::kFloat, PartialShape({3}));
  auto initialized = Run("IsVariableInitialized", {v});
  ASSERT_TRUE(initialized.ok()) << initialized.status().ToString();
  EXPECT_FALSE((*initialized)[0].scalar<bool>());
  EXPECT_EQ(Run("AssignAdd", {v, Tensor::Vector<float>({1, 2, 3})}).status().code(), Code::kFailedPrecondition);

  auto assigned = Run("Assign", {v, Tensor::Vector<float>({1, 2, 3})});
  ASSERT_TRUE(assigned.ok()) << assigned.status().ToString();
  EXPECT_EQ((*assigned)[0].variable(), &v);
  EXPECT_TRUE((*Run("IsVariableInitialized", {v}))[0].scalar<bool>());
  ASSERT_TRUE(Run("AssignAdd", {v, Tensor::Vector<float>({10, 20, 30})}).ok());
  ASSERT_TRUE(Run("AssignSub", {v, Tensor::Vector<float>({1, 1, 1})}).ok());
  EXPECT_TRUE(v.value().Identical(Tensor::Vector<float>({10, 21, 32})));
}

TEST_F(VariableOps, AssignChecksShapes) {
  Variable& v = Ref("v", DType::kFloat, PartialShape({3}));
  const Tensor longer = Tensor::Vector<float>({1, 2, 3, 4});
  for (Way way : {Way::kStaticShapes, Way::kUnknownShapes}) {
    EXPECT_EQ(Run("Assign", {v, longer}, {}, way).status().code(), Code::kInvalidArgument);
  }
  ASSERT_TRUE(Run("Assign", {v, Tensor::Vector<float>({1, 2, 3})}).ok());
  EXPECT_EQ(Run("AssignAdd", {v, longer}, {}, Way::kUnknownShapes).status().code(), Code::kInvalidArgument);
  ASSERT_TRUE(Run("Assign", {v, longer}, {{"validate_shape", false}}).ok());
  EXPECT_TRUE(v.value().Identical(longer));
}

TEST_F(VariableOps, IntegersWrapAround) {
  Variable& v = Ref("v", DType::kInt32, PartialShape::Scalar());
  ASSERT_TRUE(Run("Assign", {v, Tensor::Scalar<int32_t>(INT32_MAX)}).ok());
  ASSERT_TRUE(Run("AssignAdd", {v, Tensor::Scalar<int32_t>(1)}).ok());
  EXPECT_EQ(v.value().scalar<int32_t>(), INT32_MIN);
}

TEST_F(VariableOps, StringsAreAssigned) {
  Variable& v = Ref("v", DType::kString, PartialShape({2}));
  ASSERT_TRUE(Run("Assign", {v, Tensor::Vector<std::string>({"a", "a longer one than fits inline"})}).ok());
  EXPECT_EQ(v.value().data<std::string>()[1], "a longer one than fits inline");
}

TEST_F(VariableOps, ReadsOfHandlesAreSnapshots) {
  const Tensor handle = Handle("r", DType::kFloat, PartialShape({2}));
  const AttrMap dtype = {{"dtype", DType::kFloat}};
  EXPECT_EQ(Run("ReadVariableOp", {handle}, dtype).status().code(), Code::kFailedPrecondition);
  EXPECT_FALSE((*Run("VarIsInitializedOp", {handle}))[0].scalar<bool>());
  ASSERT_TRUE(Run("AssignVariableOp", {handle, Tensor::Vector<float>({1, 2})}, dtype).ok());
  auto before = Run("ReadVariableOp", {handle}, dtype);
  ASSERT_TRUE(before.ok());
  ASSERT_TRUE(Run("AssignAddVariableOp", {handle, Tensor::Vector<float>({1, 1})}, dtype).ok());
  EXPECT_TRUE((*before)[0].Identical(Tensor::Vector<float>({1, 2})));
  EXPECT_TRUE((*Run("ReadVariableOp", {handle}, dtype))[0].Identical(Tensor::Vector<float>({2, 3})));
  EXPECT_TRUE((*Run("VariableShape", {handle}))[0].Identical(Tensor::Vector<int32_t>({2})));
  EXPECT_EQ(Run("ReadVariableOp", {handle}, {{"dtype", DType::kDouble}}).status().code(), Code::kInvalidArgument);
  ASSERT_TRUE(Run("DestroyResourceOp", {handle}).ok());
  EXPECT_FALSE((*Run("VarIsInitializedOp", {handle}))[0].scalar<bool>());
}

// A table that replicas read as snapshots would else take its size in memory with each update.
TEST_F(VariableOps, UpdatesBesideSnapshotsUseTheBytesOfEarlierValues) {
  const Tensor handle = Handle("r", DType::kFloat, PartialShape({3, 2}));
  const AttrMap dtype = {{"dtype", DType::kFloat}};
  ASSERT_TRUE(Run("AssignVariableOp", {handle, Make<float>(Shape({3, 2}), {0, 0, 0, 0, 0, 0})}, dtype).ok());
  const auto read = [&] { return (*Run("ReadVariableOp", {handle}, dtype))[0]; };
  const Tensor first = read();
  std::set<const void*> buffers;
  Tensor last = first;
  for (int i = 0; i < 20; ++i) {
    const Tensor now = read();
    buffers.insert(now.raw());
    EXPECT_EQ(now.data<float>()[2], static_cast<float>(i));
    const Tensor row = Make<float>(Shape({1, 2}), {1, 1});
    ASSERT_TRUE(Run("ResourceScatterAdd", {handle, Tensor::Vector<int32_t>({1}), row}).ok());
    EXPECT_EQ(last.data<float>()[2], static_cast<float>(std::max(i - 1, 0))) << "a snapshot has changed";
    last = now;
  }
  EXPECT_EQ(first.data<float>()[2], 0.F);
  EXPECT_LE(buffers.size(), 4U) << "that of `first`, of `last`, of `now` and of the value";
}

TEST_F(VariableOps, AHandleThatIsNoneIsRefused) {
  const Tensor nothing = Tensor::Scalar(ResourceHandle());
  EXPECT_EQ(Run("ReadVariableOp", {nothing}, {{"dtype", DType::kFloat}}).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Run("ReadVariableOp", {Tensor(DType::kResource, Shape({0}))}, {{"dtype", DType::kFloat}}).status().code(),
            Code::kInvalidArgument);
}

TEST_F(VariableOps, ScatterRows) {
  Variable& v = Ref("v", DType::kFloat, PartialShape({3, 2}));
  const Tensor indices = Tensor::Vector<int64_t>({2, 0, 2});
  const Tensor updates = Make<float>(Shape({3, 2}), {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(Run("ScatterAdd", {v, indices, updates}).status().code(), Code::kFailedPrecondition);
  ASSERT_TRUE(Run("Assign", {v, Make<float>(Shape({3, 2}), {0, 0, 10, 10, 20, 20})}).ok());
  ASSERT_TRUE(Run("ScatterAdd", {v, indices, updates}, {}, Way::kThreads).ok());
  EXPECT_TRUE(v.value().Identical(Make<float>(Shape({3, 2}), {3, 4, 10, 10, 26, 28})));
  ASSERT_TRUE(Run("ScatterSub", {v, indices, updates}).ok());
  ASSERT_TRUE(Run("ScatterUpdate", {v, indices, updates}).ok());
  EXPECT_TRUE(v.value().Identical(Make<float>(Shape({3, 2}), {3, 4, 10, 10, 5, 6})));
  ASSERT_TRUE(Run("ScatterUpdate", {v, Tensor::Scalar<int32_t>(1), Tensor::Scalar(7.F)}).ok());
  EXPECT_TRUE(v.value().Identical(Make<float>(Shape({3, 2}), {3, 4, 7, 7, 5, 6})));
}

TEST_F(VariableOps, ScatterRefusesWhatDoesNotFit) {
  Variable& v = Ref("v", DType::kFloat, PartialShape({3, 2}));
  ASSERT_TRUE(Run("Assign", {v, Make<float>(Shape({3, 2}), {0, 0, 0, 0, 0, 0})}).ok());
  const Tensor row = Make<float>(Shape({1, 2}), {1, 2});
  for (int32_t bad : {-1, 3, INT32_MIN, INT32_MAX}) {
    EXPECT_EQ(Run("ScatterAdd", {v, Tensor::Vector<int32_t>({bad}), row}).status().code(), Code::kInvalidArgument);
  }
  for (Way way : {Way::kStaticShapes, Way::kUnknownShapes}) {
    for (const Tensor& updates : {Tensor::Vector<float>({1, 2}), Make<float>(Shape({2, 2}), {1, 2, 3, 4}),
                                  Make<float>(Shape({1, 3}), {1, 2, 3}), Tensor(DType::kFloat, Shape({0}))}) {
      EXPECT_EQ(Run("ScatterAdd", {v, Tensor::Vector<int32_t>({1}), updates}, {}, way).status().code(),
                Code::kInvalidArgument);
    }
  }
}

TEST_F(VariableOps, ResourceScatterAndGather) {
  const Tensor handle = Handle("r", DType::kFloat, PartialShape({3, 2}));
  const AttrMap dtype = {{"dtype", DType::kFloat}};
  ASSERT_TRUE(Run("AssignVariableOp", {handle, Make<float>(Shape({3, 2}), {0, 1, 10, 11, 20, 21})}, dtype).ok());
  ASSERT_TRUE(
      Run("ResourceScatterAdd", {handle, Tensor::Vector<int32_t>({1}), Make<float>(Shape({1, 2}), {5, 5})}).ok());
  auto rows = Run("ResourceGather", {handle, Make<int32_t>(Shape({1, 2}), {2, 1})}, dtype);
  ASSERT_TRUE(rows.ok()) << rows.status().ToString();
  EXPECT_TRUE((*rows)[0].Identical(Make<float>(Shape({1, 2, 2}), {20, 21, 15, 16})));
  EXPECT_EQ(Run("ResourceGather", {handle, Tensor::Scalar<int32_t>(3)}, dtype).status().code(), Code::kInvalidArgument);
}

// They are not gone over one by one.
TEST_F(VariableOps, ManyBatchesWithoutAnIndexGiveNothing) {
  constexpr int64_t kBatches = int64_t{1} << 40;
  const Tensor handle = Handle("empty", DType::kFloat, PartialShape({kBatches, 5, 0}));
  const AttrMap dtype = {{"dtype", DType::kFloat}};
  ASSERT_TRUE(Run("AssignVariableOp", {handle, Tensor(DType::kFloat, Shape({kBatches, 5, 0}))}, dtype).ok());
  AttrMap batched = dtype;
  batched.Set("batch_dims", 1);
  auto rows = Run("ResourceGather", {handle, Tensor(DType::kInt32, Shape({kBatches, 0}))}, batched);
  ASSERT_TRUE(rows.ok()) << rows.status().ToString();
  EXPECT_EQ((*rows)[0].shape().ToString(), Shape({kBatches, 0, 0}).ToString());
}

TEST_F(VariableOps, AKnownHandleShapeIsChecked) {
  const Tensor handle = Handle("r", DType::kFloat, PartialShape({3, 2}));
  const AttrMap dtype = {{"dtype", DType::kFloat}};
  const Tensor rows = Make<float>(Shape({2, 2}), {1, 2, 3, 4});
  EXPECT_EQ(Run("AssignVariableOp", {handle, rows}, dtype).status().code(), Code::kInvalidArgument);
  ASSERT_TRUE(Run("AssignVariableOp", {handle, Make<float>(Shape({3, 2}), {0, 0, 0, 0, 0, 0})}, dtype).ok());
  for (Way way : {Way::kStaticShapes, Way::kUnknownShapes}) {
    const Tensor three_batches = Make<int32_t>(Shape({2, 1}), {0, 0});
    AttrMap batched = dtype;
    batched.Set("batch_dims", 1);
    EXPECT_EQ(Run("ResourceGather", {handle, three_batches}, batched, way).status().code(), Code::kInvalidArgument);
    EXPECT_EQ(Run("ResourceApplyGradientDescent", {handle, Tensor::Scalar(1.F), rows}, {}, way).status().code(),
              Code::kInvalidArgument);
  }
}

}  // namespace
}  // namespace dfrun
