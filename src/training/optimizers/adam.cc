#include <map>
#include <utility>

#include "src/training/optimizer.h"

namespace dfrun {
namespace {

// beta1^t and beta2^t are variables beside each dtype's first variable, multiplied on after all updates of a step.
class Adam final : public Optimizer {
 public:
  Adam(const Alternative& chosen, const OptimizerContext& context)
      : beta1_(chosen.number("beta1")),
        beta2_(chosen.number("beta2")),
        epsilon_(chosen.number("epsilon")),
        context_(context) {}

  std::vector<NodeId> Update(GraphOps& ops, const UpdatedVariable& updated, Output gradient) override {
    const auto& [variable, slots, rate] = updated;
    const Powers& powers = PowersFor(variable);
    return {ops.Add("update", "ApplyAdam",
                    {variable, slots[0], slots[1], powers.beta1_power, powers.beta2_power, rate,
                     context_.scalar("beta1", variable, beta1_), context_.scalar("beta2", variable, beta2_),
                     context_.scalar("epsilon", variable, epsilon_), gradient})
                .node};
  }

  // TensorFlow's AdamOptimizer: the moments of every row decay, those of the gradient's rows take it in, and every row
  // moves.
  std::vector<NodeId> UpdateRows(GraphOps& ops, const UpdatedVariable& updated, Output indices,
                                 Output values) override {
    const auto& [variable, slots, learning_rate] = updated;
    const auto scalar = [&, of = variable](const char* name, double value) { return context_.scalar(name, of, value); };
    const Powers& powers = PowersFor(variable);
    const Output one = scalar("one", 1);
    const Output bias = ops.Add("bias", "Sqrt", {ops.Add("second", "Sub", {one, powers.beta2_power})});
    const Output rate = ops.Add(
        "rate", "RealDiv",
        {ops.Add("scaled_rate", "Mul", {learning_rate, bias}), ops.Add("first", "Sub", {one, powers.beta1_power})});
    std::vector<NodeId> writers;
    const Output first = AddMoment(ops, {slots[0], indices, values, beta1_}, writers);
    const Output square = ops.Add("square", "Mul", {values, values});
    const Output second = AddMoment(ops, {slots[1], indices, square, beta2_}, writers);
    const Output root = ops.Add("root", "AddV2", {ops.Add("sqrt", "Sqrt", {second}), scalar("epsilon", epsilon_)});
    const Output step = ops.Add("step", "RealDiv", {ops.Add("scaled", "Mul", {rate, first}), root});
    writers.push_back(ops.Add("update", "AssignSub", {variable, step}).node);
    return writers;
  }

  std::vector<NodeId> Finish(const std::vector<NodeId>& updates) override {
    std::vector<NodeId> nodes;
    for (const auto& [dtype, p] : powers_) {
      nodes.push_back(Advance(p.beta1_power, beta1_, updates));
      nodes.push_back(Advance(p.beta2_power, beta2_, updates));
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
    const DType dtype = context_.graph.dtype(variable);
    auto it = powers_.find(dtype);
    if (it == powers_.end()) {
      const std::string suffix = dtype == DType::kFloat ? "" : StrCat("_", dtype);
      const Output beta1 = context_.add_scalar_variable("train/beta1_power" + suffix, variable, beta1_);
      const Output beta2 = context_.add_scalar_variable("train/beta2_power" + suffix, variable, beta2_);
      it = powers_.emplace(dtype, Powers{beta1, beta2}).first;
    }
    return it->second;
  }

  NodeId Advance(Output power, double beta, const std::vector<NodeId>& after) {
    const Node& node = context_.graph.node(power.node);
    GraphOps ops(context_.graph, node.name, node.device);
    const Output next = ops.Add("next", "Mul", {power, context_.scalar("beta", power, beta)});
    return ops.Add("advance", "Assign", {power, next}, {}, after).node;
  }

  const double beta1_;
  const double beta2_;
  const double epsilon_;
  const OptimizerContext& context_;
  std::map<DType, Powers> powers_;
};

OPTIMIZER("adam", {.keys = {{.name = "beta1", .kind = KeyKind::kFraction, .fallback = 0.9},
                            {.name = "beta2", .kind = KeyKind::kFraction, .fallback = 0.999},
                            {.name = "epsilon", .kind = KeyKind::kPositive, .fallback = 1e-8}},
                   .slots = {{"Adam"}, {"Adam_1"}},  // TensorFlow's names of the moments m and v
                   .rows = "their moments take the gradient in",
                   .other_rows = "moments of every row decay and every row moves, as with a dense gradient of zeros",
                   .make = &MakeOptimizer<Adam>});

}  // namespace
}  // namespace dfrun
