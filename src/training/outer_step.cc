#include "src/training/outer_step.h"

#include <utility>

#include "src/training/assigned_variables.h"
#include "src/training/narrow_values.h"
#include "src/training/replicas.h"
#include "src/training/variable_copies.h"

namespace dfrun {
namespace {

class OuterStep {
 public:
  OuterStep(const OuterStepOptions& options, JobGraphDraft& draft)
      : options_(options), draft_(draft), graph_(draft.job.graph) {}

  Status Add() {
    draft_.job.sync_every = options_.every;
    for (const ReplicatedVariable& replicated : draft_.replicated) {
      DF_ASSIGN(const Output written, replicated.is_trained ? Update(replicated) : Assign(replicated));
      RunSignature begun;
      DF_TRY(AssignCopies(draft_, replicated.variable, written, begun));
      AddWriter(written.node);
      for (const NodeId assign : begun.targets) AddWriter(assign);
    }
    return Status();
  }

 private:
  std::string ScopeOf(NodeId variable) const { return "sync/" + graph_.node(variable).name; }

  // A node that writes a variable: after all that has been read of the variable has left its device.
  void AddWriter(NodeId writer) {
    graph_.mutable_node(writer).attrs.Set("_after_reads", true);
    draft_.job.sync.targets.push_back(writer);
  }

  static std::vector<Output> ValuesOf(const ReplicatedVariable& replicated) {
    std::vector<Output> values;
    for (const NodeId own : replicated.of_replicas) values.push_back({own, 0});
    return values;
  }

  // The mean of the replicas' outer gradients, in SumDType(), on the variable's device.
  Result<Output> OuterGradient(const ReplicatedVariable& replicated) {
    const NodeId variable = replicated.variable;
    const DType dtype = graph_.dtype({variable, 0});
    if (options_.compresses && dtype == DType::kFloat) return CutGradient(replicated);
    GraphOps ops(graph_, ScopeOf(variable), graph_.node(variable).device);
    const Output mean = Replicas::MeanOf(ops, "mean", ValuesOf(replicated), dtype);
    const Output old = CastTo(ops, "old", {variable, 0}, dtype, SumDType(dtype));
    const Output gradient = ops.Add("gradient", "Sub", {old, mean});
    DF_TRY(ops.status());
    return gradient;
  }

  // Each replica has the value of the variable after the last sync in a copy, and sends the cut difference.
  Result<Output> CutGradient(const ReplicatedVariable& replicated) {
    const NodeId variable = replicated.variable;
    GraphOps ops(graph_, ScopeOf(variable));
    std::vector<Output> cut;
    for (const NodeId own : replicated.of_replicas) {
      const Node& node = graph_.node(own);
      const std::string name = node.name;
      ops.set_device(node.device);
      const Output old = draft_.AddCopy(name + "/synced", {own, 0}, /*scalar=*/false);
      if (!old.valid()) return Internal("a copy of variable '", name, "' was not built");
      draft_.copies[variable].push_back(old.node);
      cut.push_back(ops.Add("cut", "Cast", {ops.Add("difference", "Sub", {old, {own, 0}})},
                            {{"DstT", DType::kBfloat16}, {"Truncate", true}}));
    }
    ops.set_device(graph_.node(variable).device);
    const Output mean = Replicas::MeanOf(ops, "gradient", std::move(cut), DType::kBfloat16);
    DF_TRY(ops.status());
    return mean;
  }

  Result<Output> Update(const ReplicatedVariable& replicated) {
    const Output variable = {replicated.variable, 0};
    const std::string name = graph_.node(variable.node).name;
    const Output momentum = draft_.AddVariable(name + "/OuterMomentum", variable, /*scalar=*/false, 0);
    if (!momentum.valid()) return Internal("the outer momentum of variable '", name, "' was not built");
    draft_.kept.back().of_strategy = true;
    DF_ASSIGN(const Output gradient, OuterGradient(replicated));
    GraphOps ops(graph_, ScopeOf(variable.node), graph_.node(variable.node).device);
    const DType dtype = graph_.dtype(variable);
    const auto scalar = [&](const char* key, double value) { return ops.Const(key, ScalarOf(dtype, value)); };
    const Output updated =
        ops.Add("update", "ApplyMomentum",
                {variable, momentum, scalar("learning_rate", options_.learning_rate),
                 CastTo(ops, "narrow", gradient, graph_.dtype(gradient), dtype), scalar("momentum", options_.momentum)},
                {{"use_nesterov", true}});
    DF_TRY(ops.status());
    return updated;
  }

  Result<Output> Assign(const ReplicatedVariable& replicated) {
    const Output variable = {replicated.variable, 0};
    GraphOps ops(graph_, ScopeOf(variable.node), graph_.node(variable.node).device);
    const DType dtype = graph_.dtype(variable);
    const Output value = ReducedValue(ops, replicated.reduce, variable, dtype, ValuesOf(replicated));
    DF_TRY(ops.status());
    const Output assigned =
        ops.Add("assign", "Assign", {variable, CastTo(ops, "narrow", value, graph_.dtype(value), dtype)});
    DF_TRY(ops.status());
    return assigned;
  }

  const OuterStepOptions& options_;
  JobGraphDraft& draft_;
  Graph& graph_;
};

}  // namespace

Status AddOuterStep(const OuterStepOptions& options, JobGraphDraft& draft) {
  return OuterStep(options, draft).Add();
}

}  // namespace dfrun
