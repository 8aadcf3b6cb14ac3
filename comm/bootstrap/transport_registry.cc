#include "comm/bootstrap/transport_registry.h"

#include "src/base/text.h"

namespace dfrun::comm {
namespace {

// Returns a line "<name> <reason>" for each transport that this rank cannot use.
std::string Unusable(const Bootstrap& bootstrap) {
  std::string lines;
  for (const auto& [name, def] : Transports().all()) {
    const Status status = def.can_connect(bootstrap);
    if (!status.ok()) lines += StrCat(name, " ", status.message(), "\n");
  }
  return lines;
}

// The reason for which rank `r`, which reported these lines, cannot use a transport; OK if it can.
Status WhyNot(const std::string& lines, size_t r, const std::string& name) {
  const std::string begin = name + " ";
  for (size_t at = 0; at < lines.size();) {
    const size_t end = lines.find('\n', at);
    const std::string line = lines.substr(at, end - at);
    if (line.rfind(begin, 0) == 0) {
      return FailedPrecondition("the transport '", name, "' cannot be used on rank ", r, ": ",
                                line.substr(begin.size()));
    }
    at = end + 1;
  }
  return Status();
}

Status CheckAllCan(const std::vector<std::string>& reports, const std::string& name) {
  for (size_t r = 0; r < reports.size(); ++r) DF_TRY(WhyNot(reports[r], r, name));
  return Status();
}

}  // namespace

Registry<TransportDef>& Transports() {
  static Registry<TransportDef>& transports = *new Registry<TransportDef>();
  return transports;
}

Result<std::string> ChooseTransport(Bootstrap& bootstrap, const std::string& wanted) {
  DF_ASSIGN(const std::vector<std::string> reports, bootstrap.AllGather(Unusable(bootstrap)));
  const auto& all = Transports().all();
  if (!wanted.empty()) {
    if (Transports().Find(wanted) == nullptr) {
      return Error(Code::kUsage, "there is no transport '", wanted, "'; there are ",
                   Join(all, ", ", [](const auto& entry) { return entry.first; }));
    }
    DF_TRY(CheckAllCan(reports, wanted));
    return wanted;
  }
  const std::string* best = nullptr;
  Status why;
  for (const auto& [name, def] : all) {
    const Status can = CheckAllCan(reports, name);
    if (!can.ok()) {
      why = can;
    } else if (best == nullptr || def.priority > Transports().Find(*best)->priority) {
      best = &name;
    }
  }
  if (best == nullptr) return FailedPrecondition("no transport can connect these ranks: ", why.message());
  return *best;
}

}  // namespace dfrun::comm
