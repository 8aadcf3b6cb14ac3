// Graphs through which the samples of a batch are followed.
#include "src/graph/order/batch_rows.h"

#include <gtest/gtest.h>

#include "src/graph/graph_ops.h"

namespace dfrun {
namespace {

class BatchRowsTest : public ::testing::Test {
 protected:
  static constexpr int64_t kSamples = 6;

  // A batch of samples of this shape.
  Output Batch(std::vector<int64_t> sizes, DType dtype = DType::kFloat) {
    sizes.insert(sizes.begin(), kSamples);
    const Output x = ops_.Add("x", "Placeholder", {}, {{"dtype", dtype}, {"shape", PartialShape(sizes)}});
    sources_.emplace_back(x, SampleRows::Rows());
    return x;
  }
  Output Table(const PartialShape& shape) {
    return ops_.Add("table", "Placeholder", {}, {{"dtype", DType::kFloat}, {"shape", shape}});
  }
  Output Ints(const std::vector<int32_t>& values) { return ops_.Const("ints", Tensor::Vector<int32_t>(values)); }
  Output Int(int32_t value) { return ops_.Const("int", Tensor::Scalar(value)); }
  SampleRows RowsOf(Output output) {
    EXPECT_TRUE(ops_.status().ok()) << ops_.status().ToString();
    const Result<BatchRows> rows = BatchRows::Of(graph_, sources_, kSamples);
    EXPECT_TRUE(rows.ok()) << rows.status().ToString();
    mixer_ = rows->FirstMixer(graph_, output);
    return rows->of(output);
  }

  Graph graph_;
  GraphOps ops_{graph_, ""};
  std::vector<std::pair<Output, SampleRows>> sources_;
  NodeId mixer_ = -1;
};

TEST_F(BatchRowsTest, LayersKeepSamplesApart) {
  const Output product = ops_.Add("product", "MatMul", {Batch({4}), Table({4, 3})});
  const Output biased = ops_.Add("biased", "BiasAdd", {product, Table({3})});
  const Output classes = ops_.Add("classes", "ArgMax", {ops_.Add("probs", "Softmax", {biased}), Int(1)});
  EXPECT_EQ(RowsOf(classes), SampleRows::Rows());
  EXPECT_EQ(mixer_, -1);
}

TEST_F(BatchRowsTest, SeveralRowsASample) {
  // The steps of sequences as rows of a matrix, and back.
  const Output flat = ops_.Add("flat", "Reshape", {Batch({5, 4}), Ints({-1, 4})});
  EXPECT_EQ(RowsOf(flat), SampleRows::Rows(5));
  const Output product = ops_.Add("product", "MatMul", {flat, Table({4, 3})});
  EXPECT_EQ(RowsOf(product), SampleRows::Rows(5));
  EXPECT_EQ(RowsOf(ops_.Add("back", "Reshape", {product, Ints({-1, 5, 3})})), SampleRows::Rows());
}

TEST_F(BatchRowsTest, SizesOfTheBatchAreNoSamples) {
  const Output x = Batch({4});
  const Output size =
      ops_.Add("size", "StridedSlice", {ops_.Add("shape", "Shape", {x}), Ints({0}), Ints({1}), Ints({1})},
               {{"shrink_axis_mask", 1}});
  EXPECT_EQ(RowsOf(size), SampleRows::BatchSize());
  const Output dims = ops_.Add("dims", "Pack", {size, Int(7)});
  const Output zeros = ops_.Add("zeros", "Fill", {dims, ops_.Const("zero", Tensor::Scalar(0.F))});
  EXPECT_EQ(RowsOf(zeros), SampleRows::Rows());
  EXPECT_EQ(RowsOf(ops_.Add("joined", "ConcatV2", {x, zeros, Int(1)})), SampleRows::Rows());
  // A value is not a function of its sample where it is divided by their number.
  const Output count = ops_.Add("count", "Cast", {size}, {{"DstT", DType::kFloat}});
  EXPECT_EQ(RowsOf(ops_.Add("share", "RealDiv", {x, count})), SampleRows::Mixed());
}

TEST_F(BatchRowsTest, WhatMixesIsNamed) {
  const Output x = Batch({4});
  const Output mean = ops_.Add("mean", "Mean", {x, Int(0)});
  const Output centred = ops_.Add("centred", "Sub", {x, mean});
  EXPECT_EQ(RowsOf(ops_.Add("out", "Tanh", {centred})), SampleRows::Mixed());
  EXPECT_EQ(mixer_, mean.node);
  // A table with a line for each place in the batch.
  const Output placed = ops_.Add("placed", "AddV2", {x, Table({kSamples, 4})});
  EXPECT_EQ(RowsOf(placed), SampleRows::Mixed());
  EXPECT_EQ(mixer_, placed.node);
  // Random numbers.
  const Output noise = ops_.Add("noise", "RandomUniform", {Ints({kSamples, 4})}, {{"dtype", DType::kFloat}});
  EXPECT_EQ(RowsOf(ops_.Add("noisy", "AddV2", {x, noise})), SampleRows::Mixed());
  EXPECT_EQ(mixer_, noise.node);
}

TEST_F(BatchRowsTest, TablesGiveRowsByTheSamplesIndices) {
  const Output rows = ops_.Add("rows", "GatherV2", {Table({100, 8}), Batch({5}, DType::kInt32), Int(0)});
  EXPECT_EQ(RowsOf(rows), SampleRows::Rows());
  EXPECT_EQ(RowsOf(ops_.Add("sum", "Sum", {rows, Int(1)})), SampleRows::Rows());
  EXPECT_EQ(RowsOf(ops_.Add("turned", "Transpose", {rows, Ints({1, 0, 2})})), SampleRows::Mixed());
  EXPECT_EQ(RowsOf(ops_.Add("heads", "Transpose", {rows, Ints({0, 2, 1})})), SampleRows::Rows());
}

}  // namespace
}  // namespace dfrun
