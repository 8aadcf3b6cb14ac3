// The training that tests of strategies build, in several ways.
#ifndef DFRUN_TESTS_UNIT_TRAINING_SMALL_TRAINING_H_
#define DFRUN_TESTS_UNIT_TRAINING_SMALL_TRAINING_H_

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "src/graph/graph_ops.h"
#include "src/spec/load.h"
#include "src/spec/schema/alternatives.h"

namespace dfrun {

// loss = mean((a * b + c - 3)^2), where c is not trained.
class SmallTraining : public ::testing::Test {
 protected:
  // Fills spec_: ten steps.
  void Make(const char* optimizer, const char* strategy, int64_t replicas) {
    GraphOps ops(spec_.graph, "");
    for (const char* name : {"a", "b", "c"}) {
      const Output v = ops.Add(name, "VariableV2", {}, {{"shape", Shape({4})}, {"dtype", DType::kFloat}});
      const Output init = ops.Const(StrCat(name, "_init"), Tensor::Vector<float>({1, 2, 3, 4}));
      spec_.job.variables.push_back({v.node, init, name != std::string("c")});
    }
    const auto variable = [&](const char* name) { return Output{spec_.graph.Find(name), 0}; };
    const Output product = ops.Add("product", "Mul", {variable("a"), variable("b")});
    const Output sum = ops.Add("sum", "AddV2", {product, variable("c")});
    const Output error = ops.Add("error", "Sub", {sum, ops.Const("target", Tensor::Scalar(3.0F))});
    TrainSpec train;
    train.loss = ops.Add("loss", "Mean",
                         {ops.Add("square", "Square", {error}), ops.Const("axis", Tensor::Vector<int32_t>({0}))});
    ASSERT_TRUE(ops.status().ok()) << ops.status().ToString();
    train.learning_rate.initial = 0.1;
    train.optimizer = Optimizers().Make(optimizer);
    train.strategy = Strategies().Make(strategy);
    train.strategy.Set("replicas", replicas);
    train.steps = 10;
    spec_.job.name = "test";
    spec_.job.train = train;
  }

  static std::set<std::string> Variables(const Graph& graph) {
    std::set<std::string> names;
    for (const Node& node : graph.nodes()) {
      if (node.op->name == "VariableV2") names.insert(node.name);
    }
    return names;
  }

  LoadedSpec spec_;
};

}  // namespace dfrun

#endif  // DFRUN_TESTS_UNIT_TRAINING_SMALL_TRAINING_H_
