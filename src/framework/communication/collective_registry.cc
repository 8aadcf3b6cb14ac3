#include "src/framework/communication/collective_registry.h"

#include <algorithm>

namespace dfrun {

Registry<CollectiveDef>& Collectives() {
  static Registry<CollectiveDef> collectives;
  return collectives;
}

std::string FindCollective(std::span<const std::string> device_types) {
  const std::string* best = nullptr;
  int priority = 0;
  for (const auto& implementation : Collectives().all()) {
    const CollectiveDef& def = implementation.second;
    if (best != nullptr && def.priority <= priority) continue;
    if (!std::all_of(device_types.begin(), device_types.end(), [&](const auto& type) { return def.serves(type); })) {
      continue;
    }
    best = &implementation.first;
    priority = def.priority;
  }
  return best == nullptr ? "" : *best;
}

Result<const CollectiveDef*> CollectiveOf(const AttrMap& attrs) {
  DF_ASSIGN(const std::string name, attrs.Get<std::string>("implementation"));
  const CollectiveDef* const def = Collectives().Find(name);
  if (def == nullptr) {
    return InvalidArgument("'", name, "' is no implementation of collectives: only the compilation of a graph makes ",
                           "participants, and names one");
  }
  return def;
}

}  // namespace dfrun
