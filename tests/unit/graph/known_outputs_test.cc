// Sizes that ops of several outputs hand on.
#include <gtest/gtest.h>

#include "src/graph/graph.h"
#include "src/graph/partial_constant.h"

namespace dfrun {
namespace {

class KnownOutputsTest : public ::testing::Test {
 protected:
  NodeId Add(const std::string& op, std::vector<Output> inputs, AttrMap attrs) {
    NodeSpec spec;
    spec.name = g_.UniqueName(op);
    spec.op = op;
    spec.inputs = std::move(inputs);
    spec.attrs = std::move(attrs);
    const Result<NodeId> id = g_.AddNode(std::move(spec));
    EXPECT_TRUE(id.ok()) << id.status().message();
    return *id;
  }
  Output Floats(PartialShape shape) {
    return {Add("Placeholder", {}, {{"dtype", DType::kFloat}, {"shape", std::move(shape)}}), 0};
  }
  Output Int(int32_t value) {
    return {Add("Const", {}, {{"dtype", DType::kInt32}, {"value", Tensor::Scalar<int32_t>(value)}}), 0};
  }
  // Returns the known elements as text, "?" for others; "unknown" if nothing is known.
  std::string Known(Output value) {
    const PartialConstant* known = g_.PartialConstantOf(value);
    if (known == nullptr) return "unknown";
    std::string out;
    for (const auto& e : known->elements) out += (out.empty() ? "" : ",") + (e ? std::to_string(*e) : "?");
    return out;
  }

  Graph g_;
};

TEST_F(KnownOutputsTest, ShapesOfSeveralTensors) {
  const NodeId shapes = Add("ShapeN", {Floats(PartialShape()), Floats({2, -1}), Floats({4})}, {});
  EXPECT_EQ(Known({shapes, 0}), "unknown");
  EXPECT_EQ(Known({shapes, 1}), "2,?");
  EXPECT_EQ(Known({shapes, 2}), "4");
  const NodeId one = Add("ShapeN", {Floats({3, 5})}, {});
  EXPECT_EQ(Known({one, 0}), "3,5");
}

TEST_F(KnownOutputsTest, PartsOfAShape) {
  const NodeId shape = Add("Shape", {Floats({-1, 6, 7, 8})}, {});
  const NodeId sizes = Add("Unpack", {{shape, 0}}, {{"num", 4}});
  EXPECT_EQ(Known({sizes, 0}), "unknown");
  EXPECT_EQ(Known({sizes, 3}), "8");
  const NodeId halves = Add("Split", {Int(0), {shape, 0}}, {{"num_split", 2}});
  EXPECT_EQ(Known({halves, 0}), "?,6");
  EXPECT_EQ(Known({halves, 1}), "7,8");
  const NodeId product = Add("Prod", {{halves, 1}, Int(0)}, {});
  const NodeId sum = Add("Sum", {{halves, 1}, Int(0)}, {});
  EXPECT_EQ(Known({product, 0}), "56");
  EXPECT_EQ(Known({sum, 0}), "15");
}

TEST_F(KnownOutputsTest, InversesOfPermutations) {
  const auto inverse = [this](std::initializer_list<int32_t> of) {
    const NodeId perm = Add("Const", {}, {{"dtype", DType::kInt32}, {"value", Tensor::Vector<int32_t>(of)}});
    return Known({Add("InvertPermutation", {{perm, 0}}, {}), 0});
  };
  EXPECT_EQ(inverse({2, 0, 1}), "1,2,0");
  EXPECT_EQ(inverse({0, 0, 1}), "unknown");
  EXPECT_EQ(inverse({1, 3}), "unknown");
}

TEST_F(KnownOutputsTest, LengthsOfRanges) {
  const auto number = [this](double value) {
    return Output{Add("Const", {}, {{"dtype", DType::kDouble}, {"value", Tensor::Scalar<double>(value)}}), 0};
  };
  EXPECT_EQ(g_.shape({Add("Range", {number(1), number(7), number(1.5)}, {}), 0}), PartialShape({4}));
}

TEST_F(KnownOutputsTest, ShapesOfVariables) {
  const NodeId variable = Add("VarHandleOp", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({-1, 3})}});
  EXPECT_EQ(Known({Add("VariableShape", {{variable, 0}}, {}), 0}), "?,3");
}

}  // namespace
}  // namespace dfrun
