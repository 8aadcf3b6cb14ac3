// The gradients of convolutions, which are transposed convolutions, compare the shapes of all three tensors.
#include <gtest/gtest.h>

#include "src/graph/graph.h"

namespace dfrun {
namespace {

class ConvBackpropShapes : public ::testing::Test {
 protected:
  Output Fed(const PartialShape& shape) {
    const Result<NodeId> id = graph_.AddNode(
        {graph_.UniqueName("x"), "Placeholder", {}, {}, {{"dtype", DType::kFloat}, {"shape", shape}}, "", "", {}});
    return {id.ok() ? *id : -1, 0};
  }
  Output Sizes(const std::vector<int32_t>& sizes) {
    const Result<NodeId> id = graph_.AddNode({graph_.UniqueName("sizes"),
                                              "Const",
                                              {},
                                              {},
                                              {{"dtype", DType::kInt32}, {"value", Tensor::Vector<int32_t>(sizes)}},
                                              "",
                                              "",
                                              {}});
    return {id.ok() ? *id : -1, 0};
  }
  // The shape of the result, or the error.
  std::string Of(const std::string& op, const std::vector<Output>& inputs, const std::vector<int64_t>& strides,
                 const std::string& padding) {
    const Result<NodeId> id = graph_.AddNode(
        {graph_.UniqueName("y"), op, inputs, {}, {{"strides", strides}, {"padding", padding}}, "", "", {}});
    return id.ok() ? StrCat(graph_.shape({*id, 0})) : std::string(id.status().message());
  }
  void Refuses(const std::string& error, const std::string& part) {
    EXPECT_NE(error.find(part), std::string::npos) << part << "\n  is not in: " << error;
  }

  Graph graph_;
};

TEST_F(ConvBackpropShapes, OfInputs) {
  const Output image = Fed({2, 4, 4, 8});
  EXPECT_EQ(Of("Conv2DBackpropInput", {Sizes({2, 8, 8, 3}), Fed({2, 2, 3, 8}), image}, {1, 2, 2, 1}, "VALID"),
            "[2,8,8,3]");
  Refuses(Of("Conv2DBackpropInput", {Sizes({2, 8, 8, 3}), Fed({2, 2, 8, 3}), image}, {1, 2, 2, 1}, "VALID"),
          "does not have the channels of a filter [2,2,8,3]");
  Refuses(Of("Conv2DBackpropInput", {Sizes({2, 8, 8, 3}), Fed({2, 2, 3, 8}), image}, {1, 1, 1, 1}, "VALID"),
          "out_backprop has shape [2,4,4,8], but the convolution of [2,8,8,3] with a filter [2,2,3,8] has [2,7,7,8]");
  Refuses(Of("Conv2DBackpropInput", {Sizes({2, 9, 9, 3}), Fed({2, 2, 3, 8}), image}, {1, 2, 2, 1}, "SAME"),
          "has [2,5,5,8]");
  Refuses(Of("Conv2DBackpropInput", {Sizes({8, 8}), Fed({2, 2, 3, 7}), image}, {1, 2, 2, 1}, "SAME"), "has [2,4,4,7]");
  EXPECT_EQ(
      Of("Conv2DBackpropInput", {Sizes({2, 8, 8, 3}), Fed({2, 2, -1, -1}), Fed({-1, -1, 4, 8})}, {1, 2, 2, 1}, "VALID"),
      "[2,8,8,3]");
  EXPECT_EQ(
      Of("DepthwiseConv2dNativeBackpropInput", {Sizes({2, 8, 8, 4}), Fed({3, 3, 4, 2}), image}, {1, 2, 2, 1}, "SAME"),
      "[2,8,8,4]");
  Refuses(
      Of("DepthwiseConv2dNativeBackpropInput", {Sizes({2, 8, 8, 4}), Fed({3, 3, 4, 3}), image}, {1, 2, 2, 1}, "SAME"),
      "has [2,4,4,12]");
  const Output volume = Fed({2, 4, 4, 4, 8});
  EXPECT_EQ(
      Of("Conv3DBackpropInputV2", {Sizes({2, 8, 8, 8, 3}), Fed({2, 2, 2, 3, 8}), volume}, {1, 2, 2, 2, 1}, "SAME"),
      "[2,8,8,8,3]");
  Refuses(Of("Conv3DBackpropInputV2", {Sizes({2, 8, 8, 8, 3}), Fed({2, 2, 2, 8, 3}), volume}, {1, 2, 2, 2, 1}, "SAME"),
          "does not have the channels");
}

TEST_F(ConvBackpropShapes, OfFilters) {
  const Output image = Fed({2, 8, 8, 3});
  EXPECT_EQ(Of("Conv2DBackpropFilter", {image, Sizes({2, 2, 3, 8}), Fed({2, 4, 4, 8})}, {1, 2, 2, 1}, "VALID"),
            "[2,2,3,8]");
  Refuses(Of("Conv2DBackpropFilter", {image, Sizes({2, 2, 3, 8}), Fed({2, 5, 4, 8})}, {1, 2, 2, 1}, "VALID"),
          "out_backprop has shape [2,5,4,8]");
  Refuses(
      Of("DepthwiseConv2dNativeBackpropFilter", {image, Sizes({2, 2, 4, 2}), Fed({2, 4, 4, 8})}, {1, 2, 2, 1}, "VALID"),
      "does not have the channels");
  Refuses(Of("Conv3DBackpropFilterV2", {Fed({2, 8, 8, 8, 3}), Sizes({2, 2, 2, 3, 8}), Fed({2, 4, 4, 4, 9})},
             {1, 2, 2, 2, 1}, "VALID"),
          "has [2,4,4,4,8]");
}

}  // namespace
}  // namespace dfrun
