#include "src/training/strategy.h"

#include <utility>

namespace dfrun {
namespace {

Registry<StrategyDef>& StrategyDefs() {
  static Registry<StrategyDef>& all = *new Registry<StrategyDef>();
  return all;
}

}  // namespace

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
