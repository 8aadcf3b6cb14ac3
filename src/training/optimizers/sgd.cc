#include "src/training/optimizer.h"

namespace dfrun {
namespace {

class Sgd final : public Optimizer {
 public:
  Sgd(const Alternative&, const OptimizerContext&) {}

  std::vector<NodeId> Update(GraphOps& ops, const UpdatedVariable& updated, Output gradient) override {
    return {ops.Add("update", "ApplyGradientDescent", {updated.variable, updated.learning_rate, gradient}).node};
  }
  bool TakesEqualRows() const override { return true; }
  std::vector<NodeId> UpdateRows(GraphOps& ops, const UpdatedVariable& updated, Output indices,
                                 Output values) override {
    const Output scaled = ops.Add("scaled", "Mul", {values, updated.learning_rate});
    return {ops.Add("update", "ScatterSub", {updated.variable, indices, scaled}).node};
  }
};

OPTIMIZER("sgd", {.rows = "move", .other_rows = "stay", .make = &MakeOptimizer<Sgd>});

}  // namespace
}  // namespace dfrun
