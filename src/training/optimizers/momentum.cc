#include "src/training/optimizer.h"

namespace dfrun {
namespace {

class Momentum final : public Optimizer {
 public:
  Momentum(const Alternative& chosen, const OptimizerContext& context)
      : momentum_(chosen.number("momentum")), attrs_{{"use_nesterov", chosen.flag("nesterov")}}, context_(context) {}

  std::vector<NodeId> Update(GraphOps& ops, const UpdatedVariable& updated, Output gradient) override {
    const auto& [variable, slots, rate] = updated;
    const Output momentum = context_.scalar("momentum", variable, momentum_);
    return {ops.Add("update", "ApplyMomentum", {variable, slots[0], rate, gradient, momentum}, attrs_).node};
  }

  std::vector<NodeId> UpdateRows(GraphOps& ops, const UpdatedVariable& updated, Output indices,
                                 Output values) override {
    const auto& [variable, slots, rate] = updated;
    const Output momentum = context_.scalar("momentum", variable, momentum_);
    return {
        ops.Add("update", "SparseApplyMomentum", {variable, slots[0], rate, values, indices, momentum}, attrs_).node};
  }

 private:
  const double momentum_;
  const AttrMap attrs_;
  const OptimizerContext& context_;
};

OPTIMIZER("momentum", {.keys = {{.name = "momentum", .kind = KeyKind::kFraction, .fallback = 0.9},
                                {.name = "nesterov", .kind = KeyKind::kBool, .fallback = false}},
                       .slots = {{"Momentum"}},
                       .rows = "their momentum is updated, and they move by it",
                       .other_rows = "stay, and keep their momentum as it is",
                       .make = &MakeOptimizer<Momentum>});

}  // namespace
}  // namespace dfrun
