#include "src/passes/portable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

using testing::GraphMaker;
using ::testing::HasSubstr;

class PortableTest : public ::testing::Test {
 protected:
  Output AddReader() {
    return maker_.Add("data/read", "HDF5Reader", {maker_.Scalar<int64_t>("position", 0)},
                      {{"component_types", std::vector<DType>{DType::kFloat, DType::kInt64}},
                       {"path", "data.h5"},
                       {"datasets", std::vector<std::string>{"/x", "/y"}},
                       {"shapes", std::vector<PartialShape>{PartialShape({4, 2}), PartialShape({4})}}});
  }

  GraphMaker maker_;
};

TEST_F(PortableTest, OpsOfTensorFlowPass) {
  maker_.Add("y", "Neg", {maker_.Scalar("x", 1.0)});
  EXPECT_TRUE(CheckPortable(maker_.graph).ok());
  const Result<Graph> same = MakePortable(maker_.graph);
  ASSERT_TRUE(same.ok()) << same.status().ToString();
  EXPECT_EQ(same->num_nodes(), maker_.graph.num_nodes());
}

TEST_F(PortableTest, EveryNodeOfAnOwnOpIsNamed) {
  AddReader();
  const Status status = CheckPortable(maker_.graph);
  EXPECT_EQ(status.code(), Code::kUnimplemented);
  EXPECT_THAT(status.message(), HasSubstr("node 'data/read': HDF5Reader"));
}

TEST_F(PortableTest, ReadersBecomePlaceholders) {
  const Output read = AddReader();
  maker_.Add("label", "Identity", {{read.node, 1}});
  const Result<Graph> graph = MakePortable(maker_.graph);
  ASSERT_TRUE(graph.ok()) << graph.status().ToString();
  EXPECT_TRUE(CheckPortable(*graph).ok());
  const Node& label = graph->node(graph->Find("label"));
  const Node& placeholder = graph->node(label.inputs[0].node);
  EXPECT_EQ(placeholder.name, "data/read/component_1");
  EXPECT_EQ(placeholder.op->name, "Placeholder");
  EXPECT_EQ(graph->dtype(label.inputs[0]), DType::kInt64);
  EXPECT_EQ(graph->shape(label.inputs[0]), PartialShape({4}));
}

}  // namespace
}  // namespace dfrun
