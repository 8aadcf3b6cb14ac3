#include "src/graph/order/live_values.h"

#include <gtest/gtest.h>

#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

constexpr int64_t kElements = 16 << 10;
constexpr int64_t kBytes = kElements * 4 + 64;  // more than the arena takes, with a header

class LiveValuesTest : public ::testing::Test {
 protected:
  Output X() { return g.Placeholder("x", {kElements}, DType::kFloat); }
  LiveBytes Bytes(const std::vector<Output>& kept = {}) {
    const std::vector<NodeId> order =
        RunOrder(g.graph, std::vector<bool>(static_cast<size_t>(g.graph.num_nodes()), true));
    return LiveBytesOf(g.graph, order, {.kept = kept});
  }

  testing::GraphMaker g;
};

TEST_F(LiveValuesTest, AValueLivesToItsLastReader) {
  Output x = X();
  for (int i = 0; i < 5; ++i) x = g.Add("n" + std::to_string(i), "Sin", {x});
  EXPECT_EQ(Bytes().peak, 2 * kBytes);  // a node's value beside its input
  EXPECT_EQ(Bytes().small, 0);
}

TEST_F(LiveValuesTest, AnElementwiseNodeComputesInTheBufferThatItAloneReads) {
  const Output x = g.Add("sine", "Sin", {X()});
  g.Add("b", "Neg", {g.Add("a", "Neg", {x})});
  EXPECT_EQ(Bytes().peak, 2 * kBytes);  // the fed value and its sine
  EXPECT_EQ(Bytes({x}).peak, 2 * kBytes);  // the sine and a's value
  g.Add("other", "Neg", {x});
  EXPECT_EQ(Bytes().peak, 3 * kBytes);  // the sine, and the values of its two readers
}

TEST_F(LiveValuesTest, ALateReaderKeepsAValue) {
  const Output first = g.Add("first", "Sin", {X()});
  Output x = first;
  for (int i = 0; i < 5; ++i) x = g.Add("n" + std::to_string(i), "Sin", {x});
  g.Add("last", "Atan2", {x, first});
  EXPECT_EQ(Bytes().peak, 3 * kBytes);
}

TEST_F(LiveValuesTest, KeptValuesStay) {
  const Output first = g.Add("first", "Sin", {X()});
  const Output second = g.Add("second", "Sin", {first});
  g.Add("third", "Sin", {second});
  EXPECT_EQ(Bytes().peak, 2 * kBytes);
  EXPECT_EQ(Bytes({first, second}).peak, 3 * kBytes);
}

TEST_F(LiveValuesTest, SmallValuesStayAndConstantsCountNothing) {
  const Output small = g.Placeholder("small", {4}, DType::kFloat);
  g.Add("a", "Neg", {g.Add("b", "Neg", {small})});
  g.Const("constant", Tensor(DType::kFloat, Shape({kElements})));
  EXPECT_EQ(Bytes().small, 3 * 4 * 4);
  EXPECT_EQ(Bytes().peak, 0);
}

TEST_F(LiveValuesTest, PassedOnValuesCountOnce) {
  const Output x = g.Add("sine", "Sin", {X()});
  const Output same = g.Add("same", "Identity", {x});
  const Output flat = g.Add("flat", "Reshape", {same, g.Const("shape", Tensor::Vector<int32_t>({kElements / 2, 2}))});
  EXPECT_EQ(OwnerOfBytes(g.graph, flat), x);
  g.Add("y", "Sin", {flat});
  EXPECT_EQ(Bytes().peak, 2 * kBytes);
}

TEST_F(LiveValuesTest, NodesRunFirstInFirstOut) {
  const Output x = X();
  const Output a = g.Add("a", "Neg", {x});
  const Output b = g.Add("b", "Neg", {x});
  const Output of_a = g.Add("of_a", "Neg", {a});
  const Output of_b = g.Add("of_b", "Neg", {b});
  const std::vector<NodeId> order = RunOrder(g.graph, std::vector<bool>(5, true));
  EXPECT_EQ(order, (std::vector<NodeId>{x.node, a.node, b.node, of_a.node, of_b.node}));
}

}  // namespace
}  // namespace dfrun
