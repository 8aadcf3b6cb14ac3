#include "src/session/optimizer.h"

#include <map>

namespace dfrun {
namespace {

class Sgd final : public Optimizer {
 public:
  NodeId Update(GraphOps& ops, Output variable, Output learning_rate, Output gradient) override {
    return ops.Add("update", "ApplyGradientDescent", {variable, learning_rate, gradient}).node;
  }
  NodeId UpdateRows(GraphOps& ops, Output variable, Output learning_rate, Output indices, Output values) override {
    const Output scaled = ops.Add("scaled", "Mul", {values, learning_rate});
    return ops.Add("update", "ScatterSub", {variable, indices, scaled}).node;
  }
};

class Momentum final : public Optimizer {
 public:
  Momentum(const OptimizerSpec& spec, Graph& graph, const OptimizerContext& context)
      : spec_(spec), graph_(graph), context_(context) {}

  NodeId Update(GraphOps& ops, Output variable, Output learning_rate, Output gradient) override {
    const std::string name = graph_.node(variable.node).name;
    const Output accumulator = context_.add_variable(name + "/Momentum", variable, false, 0.0);
    const Output momentum = context_.scalar("momentum", variable, spec_.momentum);
    return ops
        .Add("update", "ApplyMomentum", {variable, accumulator, learning_rate, gradient, momentum},
             {{"use_nesterov", spec_.nesterov}})
        .node;
  }

 private:
  const OptimizerSpec spec_;
  Graph& graph_;
  const OptimizerContext& context_;
};

// beta1^t and beta2^t are variables beside each dtype's first variable, multiplied on after all updates of a step.
class Adam final : public Optimizer {
 public:
  Adam(const OptimizerSpec& spec, Graph& graph, const OptimizerContext& context)
      : spec_(spec), graph_(graph), context_(context) {}

  NodeId Update(GraphOps& ops, Output variable, Output learning_rate, Output gradient) override {
    const std::string name = graph_.node(variable.node).name;
    const Output m = context_.add_variable(name + "/Adam", variable, false, 0.0);
    const Output v = context_.add_variable(name + "/Adam_1", variable, false, 0.0);
    const Powers& powers = PowersFor(variable);
    return ops
        .Add("update", "ApplyAdam",
             {variable, m, v, powers.beta1_power, powers.beta2_power, learning_rate,
              context_.scalar("beta1", variable, spec_.beta1), context_.scalar("beta2", variable, spec_.beta2),
              context_.scalar("epsilon", variable, spec_.epsilon), gradient})
        .node;
  }

  std::vector<NodeId> Finish(const std::vector<NodeId>& updates) override {
    std::vector<NodeId> nodes;
    for (const auto& [dtype, p] : powers_) {
      nodes.push_back(Advance(p.beta1_power, spec_.beta1, updates));
      nodes.push_back(Advance(p.beta2_power, spec_.beta2, updates));
    }
    return nodes;
  }

 private:
  struct Powers {
    Output beta1_power;
    Output beta2_power;
  };

  const Powers& PowersFor(Output variable) {
    const DType dtype = graph_.dtype(variable);
    auto it = powers_.find(dtype);
    if (it == powers_.end()) {
      const std::string suffix = dtype == DType::kFloat ? "" : StrCat("_", dtype);
      it = powers_
               .emplace(dtype, Powers{context_.add_variable("train/beta1_power" + suffix, variable, true, spec_.beta1),
                                      context_.add_variable("train/beta2_power" + suffix, variable, true, spec_.beta2)})
               .first;
    }
    return it->second;
  }

  NodeId Advance(Output power, double beta, const std::vector<NodeId>& after) {
    GraphOps ops(graph_, graph_.node(power.node).name, graph_.node(power.node).device);
    const Output next = ops.Add("next", "Mul", {power, context_.scalar("beta", power, beta)});
    return ops.Add("advance", "Assign", {power, next}, {}, after).node;
  }

  const OptimizerSpec spec_;
  Graph& graph_;
  const OptimizerContext& context_;
  std::map<DType, Powers> powers_;
};

}  // namespace

NodeId Optimizer::UpdateRows(GraphOps&, Output, Output, Output, Output) {
  DF_CHECK(!"UpdateRows of an optimiser that takes no sparse gradients");
  return -1;
}

std::vector<NodeId> Optimizer::Finish(const std::vector<NodeId>&) {
  return {};
}

std::unique_ptr<Optimizer> MakeOptimizer(const OptimizerSpec& spec, Graph& graph, const OptimizerContext& context) {
  switch (spec.kind) {
    case OptimizerSpec::Kind::kSgd:
      return std::make_unique<Sgd>();
    case OptimizerSpec::Kind::kMomentum:
      return std::make_unique<Momentum>(spec, graph, context);
    case OptimizerSpec::Kind::kAdam:
      return std::make_unique<Adam>(spec, graph, context);
  }
  return nullptr;
}

}  // namespace dfrun
