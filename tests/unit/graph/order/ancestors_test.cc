#include "src/graph/order/ancestors.h"

#include <gtest/gtest.h>

#include "tests/unit/graph/test_ops.h"

namespace dfrun {
namespace {

using testing::Add;
using testing::AddConst;
using testing::TestOps;

std::vector<NodeId> AllOf(AncestorWalk& walk) {
  std::vector<NodeId> visited;
  while (const Node* node = walk.Next()) {
    visited.push_back(node->id);
    walk.AddSources(*node);
  }
  return visited;
}

class AncestorWalkTest : public ::testing::Test {
 protected:
  Graph graph_{TestOps()};
  const NodeId a_ = AddConst(graph_, "a", Tensor::Scalar<float>(1));
  const NodeId b_ = AddConst(graph_, "b", Tensor::Scalar<float>(2));
  const NodeId sum_ = Add(graph_, "sum", "Add", {{a_, 0}, {a_, 0}});
  const NodeId product_ = Add(graph_, "product", "Mul", {{sum_, 0}, {a_, 0}});
};

TEST_F(AncestorWalkTest, VisitsWhatANodeNeedsOnce) {
  AncestorWalk walk(graph_);
  walk.Add(product_);
  walk.Add(sum_);
  EXPECT_EQ(AllOf(walk), (std::vector<NodeId>{sum_, a_, product_}));
  EXPECT_EQ(walk.added(), (std::vector<bool>{true, false, true, true}));
  EXPECT_EQ(walk.Next(), nullptr);
}

TEST_F(AncestorWalkTest, FollowsControlEdges) {
  graph_.AddControlEdge(b_, sum_);
  AncestorWalk walk(graph_);
  walk.Add(sum_);
  AllOf(walk);
  EXPECT_EQ(walk.added(), (std::vector<bool>{true, true, true, false}));
}

TEST_F(AncestorWalkTest, PassesOverOpenEdges) {
  AncestorWalk walk(graph_);
  walk.Add(-1);
  EXPECT_EQ(walk.Next(), nullptr);
}

}  // namespace
}  // namespace dfrun
