// The gradient of ResourceGather is that of GatherV2 along the axis behind the batch dimensions, which numeric
// derivatives have checked.
#include <gtest/gtest.h>

#include "src/autodiff/gradients.h"
#include "src/framework/kernel/variable.h"
#include "tests/unit/autodiff/gradient_cases.h"
#include "tests/unit/testing/graph_evaluator.h"
#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/plain_device.h"

namespace dfrun::testing {
namespace {

Tensor HandleOf(const Tensor& value) {
  RefPtr<Variable> variable(new Variable("v", value.dtype(), PartialShape()));
  MutexLock lock(variable->mu());
  EXPECT_TRUE(variable->Assign(value, HostDevice()).ok());
  return Tensor::Scalar(ResourceHandle("v", RefPtr<Resource>(variable.get())));
}

// Returns the gradient of sum(sin(gathered)) by the output `source`.
Tensor Gradient(GraphMaker& m, Output source, Output gathered, const GraphEvaluator::Values& feeds) {
  const Output sine = m.Add("sine", "Sin", {gathered});
  const std::vector<Output> ys = {sine};
  const std::vector<Output> xs = {source};
  const auto gradients = AddGradients(m.graph, ys, xs, {});
  EXPECT_TRUE(gradients.ok()) << gradients.status().ToString();
  const auto dense = DenseGradient(m.graph, (*gradients)[0], source, "dense");
  EXPECT_TRUE(dense.ok()) << dense.status().ToString();
  const auto values = GraphEvaluator(feeds).Fetch(m.graph, {*dense});
  EXPECT_TRUE(values.ok()) << values.status().ToString();
  return values.ok() ? (*values)[0] : Tensor();
}

TEST(ResourceGatherGradient, IsThatOfGatherV2) {
  const Tensor x = U({2, 4, 3});
  const std::pair<int, Tensor> cases[] = {{0, Ints({1, 0, 1})},
                                          {1, Shaped<int32_t>(Shape({2, 3}), {3, 0, 3, 1, 2, 2})},
                                          {1, Shaped<int32_t>(Shape({2}), {3, 1})},
                                          {2, Shaped<int32_t>(Shape({2, 4}), {0, 2, 1, 1, 2, 0, 0, 2})}};
  for (const auto& [batch_dims, indices] : cases) {
    GraphMaker dense;
    const Output value = dense.Const("x", x);
    const Output picked =
        dense.Add("gather", "GatherV2", {value, dense.Const("at", indices), dense.Const("axis", Int(batch_dims))},
                  {{"batch_dims", batch_dims}});
    const Tensor expected = Gradient(dense, value, picked, {});

    GraphMaker m;
    const Output handle = m.Add("v", "VarHandleOp", {}, {{"dtype", DType::kDouble}, {"shape", x.shape()}});
    const Output gathered = m.Add("gather", "ResourceGather", {handle, m.Const("at", indices)},
                                  {{"batch_dims", batch_dims}, {"dtype", DType::kDouble}});
    const Tensor actual = Gradient(m, handle, gathered, {{"v", {HandleOf(x)}}});
    EXPECT_TRUE(actual.Identical(expected)) << batch_dims << ": " << actual.ToString(24);
  }
}

TEST(ResourceGatherGradient, GoesPastAnOpThatHandsTheHandleOnUnread) {
  const Tensor x = U({3, 2});
  const auto gradient = [&](bool handed_on) {
    GraphMaker m;
    const Output handle = m.Add("v", "VarHandleOp", {}, {{"dtype", DType::kDouble}, {"shape", x.shape()}});
    const Output rows =
        m.Add("gather", "ResourceGather", {handle, m.Const("at", Ints({2, 0}))}, {{"dtype", DType::kDouble}});
    const Output out = handed_on ? m.Add("call", "IdentityN", {rows, handle}) : rows;
    return Gradient(m, handle, out, {{"v", {HandleOf(x)}}});
  };
  EXPECT_TRUE(gradient(true).Identical(gradient(false)));
}

}  // namespace
}  // namespace dfrun::testing
