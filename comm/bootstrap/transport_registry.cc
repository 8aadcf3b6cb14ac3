#include "comm/bootstrap/transport_registry.h"

#include <algorithm>
#include <utility>

#include "src/base/text.h"

namespace dfrun::comm {
namespace {

// Returns an empty text if all ranks can use the transport; otherwise the reason of the first rank that cannot.
// Collective.
Result<std::string> WhyNot(Bootstrap& bootstrap, const std::string& name, const TransportDef& def) {
  const Status own = def.can_connect(bootstrap);
  DF_ASSIGN(const std::vector<std::string> reasons, bootstrap.AllGather(own.ok() ? "" : " " + own.message()));
  for (size_t r = 0; r < reasons.size(); ++r) {
    if (reasons[r].empty()) continue;
    return StrCat("the transport '", name, "' cannot be used on rank ", r, ":", reasons[r]);
  }
  return std::string();
}

}  // namespace

Registry<TransportDef>& Transports() {
  static Registry<TransportDef>& transports = *new Registry<TransportDef>();
  return transports;
}

// Asks the transports one after the other, since a transport may have to open its library to answer.
Result<std::string> ChooseTransport(Bootstrap& bootstrap, const std::string& wanted) {
  const auto& all = Transports().all();
  if (!wanted.empty()) {
    const TransportDef* const def = Transports().Find(wanted);
    if (def == nullptr) {
      return Error(Code::kUsage, "there is no transport '", wanted, "'; there are ",
                   Join(all, ", ", [](const auto& entry) { return entry.first; }));
    }
    DF_ASSIGN(const std::string why, WhyNot(bootstrap, wanted, *def));
    return why.empty() ? Result<std::string>(wanted) : Error(Code::kUsage, why);
  }
  std::vector<std::pair<std::string, TransportDef>> best_first(all.begin(), all.end());
  std::stable_sort(best_first.begin(), best_first.end(),
                   [](const auto& a, const auto& b) { return a.second.priority > b.second.priority; });
  std::string why;
  for (const auto& [name, def] : best_first) {
    DF_ASSIGN(why, WhyNot(bootstrap, name, def));
    if (why.empty()) return name;
  }
  return FailedPrecondition("no transport can connect these ranks: ", why);
}

}  // namespace dfrun::comm
