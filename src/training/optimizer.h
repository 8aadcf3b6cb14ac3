// Optimizers as graph nodes: the update of one variable from its gradient. Each stands in a file of its own below
// optimizers/ and declares itself there; the spec's keys, the JSON schema, the slots and the nodes come from that.
//
//   OPTIMIZER("momentum", {.keys = {{.name = "momentum", .kind = KeyKind::kFraction, .fallback = 0.9}},
//                          .slots = {{"Momentum"}},
//                          .make = &MakeOptimizer<Momentum>});
#ifndef DFRUN_SRC_TRAINING_OPTIMIZER_H_
#define DFRUN_SRC_TRAINING_OPTIMIZER_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/graph/graph_ops.h"
#include "src/spec/schema/alternatives.h"

namespace dfrun {

// A variable beside each one that is trained, of its dtype, shape and device, that starts with `initial`. "Momentum" of
// the variable "a/b" is "a/b/Momentum".
struct SlotDef {
  std::string name;
  double initial = 0;
};

// Means by which an optimizer adds nodes besides the updates.
struct OptimizerContext {
  Graph& graph;
  // Adds the scalar variable `name`, of the dtype and on the device of `like`, that starts with `value`; its ref.
  std::function<Output(const std::string& name, Output like, double value)> add_scalar_variable;
  // A constant scalar of `like`'s dtype on its device.
  std::function<Output(const std::string& name, Output like, double value)> scalar;
};

// The state that one update changes, and its rate.
struct UpdatedVariable {
  Output variable;            // a ref
  std::vector<Output> slots;  // refs, in the order of OptimizerDef::slots
  Output learning_rate;       // a scalar of the variable's dtype
};

// An optimizer that adds the updates of one training site to a graph.
// Thread safety: one thread.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  // Adds the update of one variable. Returns the nodes that write, each with a variable as its first input, in the
  // order in which they run.
  virtual std::vector<NodeId> Update(GraphOps& ops, const UpdatedVariable& updated, Output gradient) = 0;
  // Whether UpdateRows() takes rows that come twice, one after the other; else equal rows are summed before it.
  virtual bool TakesEqualRows() const { return false; }
  // Adds the update for a gradient of these rows, zero in all others; OptimizerDef::other_rows describes the effect on
  // those.
  virtual std::vector<NodeId> UpdateRows(GraphOps& ops, const UpdatedVariable& updated, Output indices,
                                         Output values) = 0;
  // Returns nodes to run after all updates of the step.
  virtual std::vector<NodeId> Finish(const std::vector<NodeId>& updates);
};

struct OptimizerDef {
  std::vector<KeyDef> keys = {};  // numbers and bools of `train:`, each with a fallback
  std::vector<SlotDef> slots = {};
  // Texts for docs/spec.md: the effect of a sparse gradient on its rows, and on the others.
  std::string rows;
  std::string other_rows;
  // `chosen` has the keys' values; both outlive the optimizer.
  std::unique_ptr<Optimizer> (*make)(const Alternative& chosen, const OptimizerContext& context) = nullptr;
};

template <class T>
std::unique_ptr<Optimizer> MakeOptimizer(const Alternative& chosen, const OptimizerContext& context) {
  return std::make_unique<T>(chosen, context);
}

// Returns a registered optimizer.
const OptimizerDef& FindOptimizer(std::string_view name);

namespace internal {
struct OptimizerRegistration {
  OptimizerRegistration(const char* name, OptimizerDef def);
};
}  // namespace internal

#define OPTIMIZER(name, ...)                                                                                    \
  [[maybe_unused]] static const ::dfrun::internal::OptimizerRegistration DF_CONCAT(df_optimizer_, __COUNTER__)( \
      name, __VA_ARGS__)

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_OPTIMIZER_H_
