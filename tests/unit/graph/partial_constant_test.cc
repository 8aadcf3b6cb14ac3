// Shape arithmetic as TensorFlow does it, with sizes that are not known.
#include "src/graph/partial_constant.h"

#include <gtest/gtest.h>

#include "tests/unit/graph/test_ops.h"

namespace dfrun {
namespace {

using testing::Add;
using testing::AddConst;
using testing::TestOps;

class PartialConstantTest : public ::testing::Test {
 protected:
  Output Ints(std::initializer_list<int32_t> values) {
    return {AddConst(g_, g_.UniqueName("ints"), Tensor::Vector<int32_t>(values)), 0};
  }
  Output Int(int32_t value) { return {AddConst(g_, g_.UniqueName("int"), Tensor::Scalar<int32_t>(value)), 0}; }
  Output Op(const std::string& op, std::vector<Output> inputs, AttrMap attrs = {}) {
    return {Add(g_, g_.UniqueName(op), op, std::move(inputs), std::move(attrs)), 0};
  }
  // The shape of a tensor [2, ?, 5].
  Output PartlyKnownShape() {
    const NodeId x =
        Add(g_, g_.UniqueName("x"), "Placeholder", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({2, -1, 5})}});
    return Op("Shape", {{x, 0}});
  }
  // "3", "[1,?]", or "unknown".
  std::string Known(Output value) {
    const PartialConstant* known = g_.PartialConstantOf(value);
    if (known == nullptr) return "unknown";
    std::string out;
    for (const auto& e : known->elements) out += (out.empty() ? "" : ",") + (e ? std::to_string(*e) : "?");
    return known->is_scalar ? out : "[" + out + "]";
  }

  Graph g_{TestOps()};
};

TEST_F(PartialConstantTest, ShapeSizeRank) {
  EXPECT_EQ(Known(PartlyKnownShape()), "[2,?,5]");
  const Output ten = Ints({0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_EQ(Known(Op("Size", {ten})), "10");
  EXPECT_EQ(Known(Op("Rank", {PartlyKnownShape()})), "1");
  EXPECT_EQ(Known(Op("Shape", {Int(3)})), "[]");
  EXPECT_EQ(g_.ConstantValue(Op("Shape", {ten}))->values<int32_t>()[0], 10);
  EXPECT_EQ(g_.ConstantValue(PartlyKnownShape()), nullptr);
}

TEST_F(PartialConstantTest, StridedSlice) {
  const Output v = Ints({10, 11, 12, 13, 14});
  const auto slice = [&](int32_t begin, int32_t end, int32_t stride, int begin_mask = 0, int end_mask = 0,
                         int shrink = 0) {
    return Known(Op("StridedSlice", {v, Ints({begin}), Ints({end}), Ints({stride})},
                    {{"begin_mask", begin_mask}, {"end_mask", end_mask}, {"shrink_axis_mask", shrink}}));
  };
  EXPECT_EQ(slice(1, 3, 1), "[11,12]");
  EXPECT_EQ(slice(-2, 100, 1), "[13,14]");
  EXPECT_EQ(slice(-100, 2, 1), "[10,11]");
  EXPECT_EQ(slice(0, 0, 2, 1, 1), "[10,12,14]");
  EXPECT_EQ(slice(0, 0, -1, 1, 1), "[14,13,12,11,10]");
  EXPECT_EQ(slice(3, 0, -2), "[13,11]");
  EXPECT_EQ(slice(3, -100, -1), "[13,12,11,10]");
  EXPECT_EQ(slice(3, 1, 1), "[]");
  EXPECT_EQ(slice(2, 3, 1, 0, 0, 1), "12");
  EXPECT_EQ(slice(-1, 0, 1, 0, 0, 1), "14");
  EXPECT_EQ(slice(5, 6, 1, 0, 0, 1), "unknown");
  EXPECT_EQ(slice(0, 5, 0), "unknown");
  EXPECT_EQ(slice(0, 5, 2147483647), "[10]");
}

TEST_F(PartialConstantTest, ElementOfPartlyKnownShape) {
  const Output shape = PartlyKnownShape();
  const auto at = [&](int32_t i) {
    return Op("StridedSlice", {shape, Ints({i}), Ints({i + 1}), Ints({1})}, {{"shrink_axis_mask", 1}});
  };
  EXPECT_EQ(Known(at(2)), "5");
  EXPECT_EQ(Known(at(1)), "unknown");
}

TEST_F(PartialConstantTest, PackConcatAndSliceKeepUnknownElements) {
  const NodeId n = Add(g_, "n", "Placeholder", {}, {{"dtype", DType::kInt32}, {"shape", PartialShape::Scalar()}});
  const Output packed = Op("Pack", {Int(7), {n, 0}, Int(9)});
  EXPECT_EQ(Known(packed), "[7,?,9]");
  EXPECT_EQ(Known(Op("ConcatV2", {packed, Ints({1}), Int(0)})), "[7,?,9,1]");
  EXPECT_EQ(Known(Op("Slice", {packed, Ints({1}), Ints({-1})})), "[?,9]");
  EXPECT_EQ(Known(Op("Slice", {packed, Ints({2}), Ints({2})})), "unknown");
  const NodeId x = Add(g_, "flat", "Placeholder", {}, {{"dtype", DType::kFloat}});
  EXPECT_EQ(g_.shape(Op("Reshape", {{x, 0}, packed})), PartialShape({7, -1, 9}));
}

TEST_F(PartialConstantTest, Arithmetic) {
  EXPECT_EQ(Known(Op("Add", {Ints({1, 2}), Int(10)})), "[11,12]");
  EXPECT_EQ(Known(Op("Sub", {Int(1), Ints({1, 2})})), "[0,-1]");
  EXPECT_EQ(Known(Op("Mul", {PartlyKnownShape(), Ints({1, 2, 3})})), "[2,?,15]");
  EXPECT_EQ(Known(Op("FloorDiv", {Ints({7, -7}), Int(2)})), "[3,-4]");
  EXPECT_EQ(Known(Op("FloorDiv", {Int(7), Int(0)})), "unknown");
  EXPECT_EQ(Known(Op("Maximum", {Int(7), Int(9)})), "9");
  EXPECT_EQ(Known(Op("Mul", {Int(2147483647), Int(2)})), "unknown");  // the kernel would wrap
  EXPECT_EQ(Known(Op("Cast", {Int(7)}, {{"DstT", DType::kInt64}})), "7");
  EXPECT_EQ(Known(Op("Range", {Int(1), Int(8), Int(3)})), "[1,4,7]");
  EXPECT_EQ(Known(Op("Range", {Int(3), Int(0), Int(-1)})), "[3,2,1]");
}

TEST_F(PartialConstantTest, LongVectorsAreNotFollowed) {
  EXPECT_EQ(Known(Op("Range", {Int(0), Int(2147483647), Int(1)})), "unknown");
}

}  // namespace
}  // namespace dfrun
