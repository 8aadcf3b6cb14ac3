#include "src/training/strategy.h"

#include <utility>

namespace dfrun {
namespace {

Registry<StrategyDef>& StrategyDefs() {
  static Registry<StrategyDef>& all = *new Registry<StrategyDef>();
  return all;
}

}  // namespace

int64_t ReplicasOf(const TrainSpec& train) {
  return train.strategy.integer("replicas");
}

int64_t BackupOf(const TrainSpec& train) {
  return train.strategy.values().contains("backup") ? train.strategy.integer("backup") : 0;
}

const StrategyDef& FindStrategy(std::string_view name) {
  return *StrategyDefs().Find(name);
}

namespace internal {

StrategyRegistration::StrategyRegistration(const char* name, StrategyDef def) {
  Strategies().Add(name, AlternativeDef{.keys = def.keys, .doc = {def.doc}, .check = def.check});
  StrategyDefs().Add(name, std::move(def));
}

}  // namespace internal

}  // namespace dfrun
