// Optimisers as graph nodes: the update of one variable from its gradient, and the slots that it needs.
#ifndef DFRUN_SRC_TRAINING_OPTIMIZER_H_
#define DFRUN_SRC_TRAINING_OPTIMIZER_H_

#include <functional>
#include <string>
#include <vector>

#include "src/graph/graph_ops.h"
#include "src/spec/job_spec.h"

namespace dfrun {

// A variable that the optimiser needs besides the model's: made by the caller's AddVariable.
struct OptimizerContext {
  // Adds VariableV2 `name` like `like` (same dtype, shape, device), or a scalar where `scalar`, that starts with
  // `value`; returns its ref output.
  std::function<Output(const std::string& name, Output like, bool scalar, double value)> add_variable;
  // A constant scalar of `like`'s dtype on its device.
  std::function<Output(const std::string& name, Output like, double value)> scalar;
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  // The node that updates `variable` (a ref) by `gradient`; learning_rate is a scalar of its dtype.
  virtual NodeId Update(GraphOps& ops, Output variable, Output learning_rate, Output gradient) = 0;
  // Whether UpdateRows() takes rows that come twice, one after the other; else equal rows are summed before it.
  virtual bool TakesEqualRows() const { return false; }
  // The same for a gradient of these rows, zero in all others: the nodes that write, each a variable that is its first
  // input, in the order in which they run. docs/spec.md says what becomes of the other rows.
  virtual std::vector<NodeId> UpdateRows(GraphOps& ops, Output variable, Output learning_rate, Output indices,
                                         Output values) = 0;
  // Nodes to run after all updates of the step.
  virtual std::vector<NodeId> Finish(const std::vector<NodeId>& updates);
};

// Slots and constants are made through `context`, which outlives the optimiser.
std::unique_ptr<Optimizer> MakeOptimizer(const OptimizerSpec& spec, Graph& graph, const OptimizerContext& context);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_OPTIMIZER_H_
