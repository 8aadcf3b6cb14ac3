#include "src/graph/order/transfer_depth.h"

#include "tests/unit/testing/graph_maker.h"

namespace dfrun::testing {
namespace {

TEST(TransferDepthTest, CountsTheWayWithTheMost) {
  GraphMaker maker;
  const Output a = maker.Scalar("a", 1.0);
  const Output b = maker.Add("b", "Neg", {a});
  const Output c = maker.Add("c", "Add", {a, b});
  const Output d = maker.Add("d", "Neg", {c});
  const Output e = maker.Add("e", "Neg", {a});
  maker.graph.AddControlEdge(d.node, e.node);
  const auto order = maker.graph.TopologicalOrder();
  ASSERT_TRUE(order.ok());
  // a and c on device 0, b and d on 1, e on 0.
  const auto transfer_depth = FindTransferDepths(maker.graph, *order, {0, 1, 0, 1, 0});
  ASSERT_TRUE(transfer_depth.ok());
  EXPECT_EQ(*transfer_depth, std::vector<int>({0, 1, 2, 3, 4}));
}

TEST(TransferDepthTest, AnAttrSaysHowMany) {
  GraphMaker maker;
  const Output a = maker.Scalar("a", 1.0);
  EXPECT_EQ(TransferDepthOf(maker.node(a)), 0);
  maker.node(a).attrs.Set(kTransferDepthAttr, int64_t{3});
  EXPECT_EQ(TransferDepthOf(maker.node(a)), 3);
}

}  // namespace
}  // namespace dfrun::testing
