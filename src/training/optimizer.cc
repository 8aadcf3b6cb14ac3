#include "src/training/optimizer.h"

#include <utility>

namespace dfrun {
namespace {

Registry<OptimizerDef>& OptimizerDefs() {
  static Registry<OptimizerDef>& all = *new Registry<OptimizerDef>();
  return all;
}

}  // namespace

std::vector<NodeId> Optimizer::Finish(const std::vector<NodeId>&) {
  return {};
}

const OptimizerDef& FindOptimizer(std::string_view name) {
  return *OptimizerDefs().Find(name);
}

namespace internal {

OptimizerRegistration::OptimizerRegistration(const char* name, OptimizerDef def) {
  Optimizers().Add(name, AlternativeDef{.keys = def.keys, .doc = {def.rows, def.other_rows}});
  OptimizerDefs().Add(name, std::move(def));
}

}  // namespace internal

}  // namespace dfrun
