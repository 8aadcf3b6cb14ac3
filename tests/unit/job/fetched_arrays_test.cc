// Fetches of several steps as one array each, and the shapes by which rows count as samples.
#include "src/job/fetched_arrays.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "src/job/kept_arrays.h"

namespace dfrun {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Counts on from `begin`.
Tensor Counting(float begin, const Shape& shape) {
  Tensor value(DType::kFloat, shape);
  std::iota(value.data<float>(), value.data<float>() + value.num_elements(), begin);
  return value;
}

class FetchedArraysTest : public ::testing::Test {
 protected:
  FetchedArrays Make(std::vector<FetchRows> rows, const StepCounts& counts) {
    const std::vector<std::string> names(rows.size(), "y");
    return FetchedArrays(names, std::move(rows), counts, kept_,
                         [this](const std::string& text) { said_.push_back(text); });
  }
  Shape Only() {
    EXPECT_TRUE(kept_.End().ok());
    return kept_.values().at(0).shape();
  }

  KeptArrays kept_;
  std::vector<std::string> said_;
};

TEST_F(FetchedArraysTest, RowsOfSamplesFollowEachOther) {
  FetchedArrays arrays = Make({FetchRows::kSamples}, {.steps = 3, .samples = 5});
  for (const auto& [begin, rows] : {std::pair(0, 2), std::pair(2, 2), std::pair(4, 1)}) {
    const Tensor value[] = {Counting(static_cast<float>(begin), {rows})};
    ASSERT_TRUE(arrays.Add(value, rows).ok());
  }
  EXPECT_EQ(Only(), Shape({5}));
  EXPECT_THAT(kept_.values()[0].values<float>(), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_TRUE(said_.empty());
}

TEST_F(FetchedArraysTest, OtherValuesAreStackedAndSaid) {
  FetchedArrays arrays = Make({FetchRows::kOther}, {.passes = 2, .steps = 2, .samples = 4});
  for (int i = 0; i < 4; ++i) {
    const Tensor value[] = {Counting(0, {2, 3})};
    ASSERT_TRUE(arrays.Add(value, 2).ok());
  }
  EXPECT_EQ(Only(), Shape({2, 2, 2, 3}));
  EXPECT_THAT(said_, ElementsAre("'y' has no row for each sample: its values of the 2 batches are stacked, "
                                 "float32[2,2,2,3]"));
}

TEST_F(FetchedArraysTest, WhereTheGraphDoesNotSayTheFirstBatchDoes) {
  FetchedArrays arrays = Make({FetchRows::kUnknown, FetchRows::kUnknown}, {.steps = 2, .samples = 5});
  const Tensor first[] = {Counting(0, {3, 2}), Counting(0, {2, 2})};
  ASSERT_TRUE(arrays.Add(first, 3).ok());
  EXPECT_THAT(said_, ElementsAre(HasSubstr("as many rows as its first batch has samples (3)"), HasSubstr("stacked")));
  const Tensor second[] = {Counting(0, {2, 2}), Counting(0, {2, 2})};
  ASSERT_TRUE(arrays.Add(second, 2).ok());
  ASSERT_TRUE(kept_.End().ok());
  EXPECT_EQ(kept_.values()[0].shape(), Shape({5, 2}));
  EXPECT_EQ(kept_.values()[1].shape(), Shape({2, 2, 2}));
}

TEST_F(FetchedArraysTest, OtherShapesAreRefused) {
  FetchedArrays arrays = Make({FetchRows::kSamples}, {.steps = 2, .samples = 4});
  const Tensor first[] = {Counting(0, {2, 3})};
  const Tensor longer[] = {Counting(0, {2, 4})};
  ASSERT_TRUE(arrays.Add(first, 2).ok());
  EXPECT_THAT(arrays.Add(longer, 2).message(), HasSubstr("'y' has the shape [2,4] in batch 1, of 2 samples"));
}

TEST_F(FetchedArraysTest, AStepByItselfAddsNoAxis) {
  FetchedArrays one = Make({FetchRows::kOther}, {});
  const Tensor value[] = {Counting(0, {2, 3})};
  ASSERT_TRUE(one.Add(value, 0).ok());
  EXPECT_EQ(Only(), Shape({2, 3}));
}

TEST(KeptArrays, KeepsTheRowsThatCame) {
  KeptArrays kept;
  ASSERT_TRUE(kept.Begin({{"y", DType::kFloat, {100, 3}}}).ok());
  ASSERT_TRUE(kept.Append(0, Counting(0, {3})).ok());
  ASSERT_TRUE(kept.Append(0, Counting(3, {3})).ok());
  ASSERT_TRUE(kept.End().ok());
  EXPECT_EQ(kept.values()[0].shape(), Shape({2, 3}));
}

TEST(KeptArrays, KeepsTheFirstElementsForAMessage) {
  KeptArrays kept(KeptArrays::kShown);
  ASSERT_TRUE(kept.Begin({{"y", DType::kFloat, {4, 5}}, {"s", DType::kString, {2}}}).ok());
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(kept.Append(0, Counting(static_cast<float>(5 * i), {5})).ok());
  ASSERT_TRUE(kept.Append(1, Tensor::Vector<std::string>({"a", "b"})).ok());
  ASSERT_TRUE(kept.End().ok());
  EXPECT_EQ(kept.Text(0), "float32[4,5] 0 1 2 3 4 5 6 7 ...");
  EXPECT_EQ(kept.Text(1), Tensor::Vector<std::string>({"a", "b"}).ToString());
}

TEST(FetchRows, AreTheSamplesWhereTheFirstSizeAloneFollowsTheBatch) {
  const auto rows = [](const PartialShape& at_4, const PartialShape& at_3) {
    return RowsByShapes({at_4, 4}, ShapeAtBatch{at_3, 3}, true);
  };
  EXPECT_EQ(rows({4}, {3}), FetchRows::kSamples);
  EXPECT_EQ(rows({4, 7}, {3, 7}), FetchRows::kSamples);
  EXPECT_EQ(rows({4, -1}, {3, -1}), FetchRows::kSamples);
  EXPECT_EQ(rows({4, 7}, {4, 7}), FetchRows::kOther);  // a table of as many rows
  EXPECT_EQ(rows({4, 4}, {3, 3}), FetchRows::kOther);  // a matrix between samples
  EXPECT_EQ(rows({8, 2}, {6, 2}), FetchRows::kOther);  // two rows a sample
  EXPECT_EQ(rows({2, 4}, {2, 3}), FetchRows::kOther);  // samples are columns
  EXPECT_EQ(rows(PartialShape::Scalar(), PartialShape::Scalar()), FetchRows::kOther);
  EXPECT_EQ(rows({-1, 2}, {-1, 2}), FetchRows::kUnknown);
  EXPECT_EQ(rows(PartialShape(), PartialShape()), FetchRows::kUnknown);
  // The graph allows no other size.
  EXPECT_EQ(RowsByShapes({{4, 2}, 4}, {}, true), FetchRows::kSamples);
  EXPECT_EQ(RowsByShapes({{4, 2}, 4}, {}, false), FetchRows::kOther);
}

}  // namespace
}  // namespace dfrun
