#include "src/training/optimizer.h"

#include <map>
#include <utility>

namespace dfrun {
namespace {

class Sgd final : public Optimizer {
 public:
  NodeId Update(GraphOps& ops, Output variable, Output learning_rate, Output gradient) override {
    return ops.Add("update", "ApplyGradientDescent", {variable, learning_rate, gradient}).node;
  }
  bool TakesEqualRows() const override { return true; }
  std::vector<NodeId> UpdateRows(GraphOps& ops, Output variable, Output learning_rate, Output indices,
                                 Output values) override {
    const Output scaled = ops.Add("scaled", "Mul", {values, learning_rate});
    return {ops.Add("update", "ScatterSub", {variable, indices, scaled}).node};
  }
};

class Momentum final : public Optimizer {
 public:
  Momentum(const OptimizerSpec& spec, Graph& graph, const OptimizerContext& context)
      : spec_(spec), graph_(graph), context_(context) {}

  NodeId Update(GraphOps& ops, Output variable, Output learning_rate, Output gradient) override {
    const Output momentum = context_.scalar("momentum", variable, spec_.momentum);
    return ops
        .Add("update", "ApplyMomentum", {variable, Accumulator(variable), learning_rate, gradient, momentum},
             {{"use_nesterov", spec_.nesterov}})
        .node;
  }

  std::vector<NodeId> UpdateRows(GraphOps& ops, Output variable, Output learning_rate, Output indices,
                                 Output values) override {
    const Output momentum = context_.scalar("momentum", variable, spec_.momentum);
    return {ops.Add("update", "SparseApplyMomentum",
                    {variable, Accumulator(variable), learning_rate, values, indices, momentum},
                    {{"use_nesterov", spec_.nesterov}})
                .node};
  }

 private:
  Output Accumulator(Output variable) const {
    return context_.add_variable(graph_.node(variable.node).name + "/Momentum", variable, false, 0.0);
  }

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
    const auto [m, v] = MomentsOf(variable);
    const Powers& powers = PowersFor(variable);
    return ops
        .Add("update", "ApplyAdam",
             {variable, m, v, powers.beta1_power, powers.beta2_power, learning_rate,
              context_.scalar("beta1", variable, spec_.beta1), context_.scalar("beta2", variable, spec_.beta2),
              context_.scalar("epsilon", variable, spec_.epsilon), gradient})
        .node;
  }

  // TensorFlow's AdamOptimizer: the moments of every row decay, those of the gradient's rows take it in, and every row
  // moves.
  std::vector<NodeId> UpdateRows(GraphOps& ops, Output variable, Output learning_rate, Output indices,
                                 Output values) override {
    const auto [m, v] = MomentsOf(variable);
    const Powers& powers = PowersFor(variable);
    const auto scalar = [&](const char* name, double value) { return context_.scalar(name, variable, value); };
    const Output one = scalar("one", 1);
    const Output bias = ops.Add("bias", "Sqrt", {ops.Add("second", "Sub", {one, powers.beta2_power})});
    const Output rate = ops.Add(
        "rate", "RealDiv",
        {ops.Add("scaled_rate", "Mul", {learning_rate, bias}), ops.Add("first", "Sub", {one, powers.beta1_power})});
    std::vector<NodeId> writers;
    const Output first = AddMoment(ops, {m, indices, values, spec_.beta1}, writers);
    const Output square = ops.Add("square", "Mul", {values, values});
    const Output second = AddMoment(ops, {v, indices, square, spec_.beta2}, writers);
    const Output root = ops.Add("root", "AddV2", {ops.Add("sqrt", "Sqrt", {second}), scalar("epsilon", spec_.epsilon)});
    const Output step = ops.Add("step", "RealDiv", {ops.Add("scaled", "Mul", {rate, first}), root});
    writers.push_back(ops.Add("update", "AssignSub", {variable, step}).node);
    return writers;
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

  // A running mean, and the rows that it takes in.
  struct Moment {
    Output mean;
    Output indices;
    Output values;
    double beta;
  };

  std::pair<Output, Output> MomentsOf(Output variable) const {
    const std::string name = graph_.node(variable.node).name;
    const Output m = context_.add_variable(name + "/Adam", variable, false, 0.0);
    const Output v = context_.add_variable(name + "/Adam_1", variable, false, 0.0);
    return {m, v};
  }

  // mean = beta * mean, and (1 - beta) * values on their rows: the mean after that.
  Output AddMoment(GraphOps& ops, const Moment& moment, std::vector<NodeId>& writers) const {
    const auto scalar = [&](const char* name, double value) { return context_.scalar(name, moment.mean, value); };
    const Output kept = ops.Add("kept", "Mul", {moment.mean, scalar("beta", moment.beta)});
    const Output decayed = ops.Add("decay", "Assign", {moment.mean, kept});
    // 1 - beta in the variable's own precision, as TensorFlow has it.
    const Output rest = ops.Add("rest", "Sub", {scalar("one", 1), scalar("beta", moment.beta)});
    const Output taken = ops.Add("taken", "Mul", {moment.values, rest});
    const Output mean = ops.Add("take_in", "ScatterAdd", {moment.mean, moment.indices, taken}, {}, {decayed.node});
    writers.insert(writers.end(), {decayed.node, mean.node});
    return mean;
  }

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
