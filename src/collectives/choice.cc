#include "src/collectives/choice.h"

#include <array>
#include <limits>
#include <set>
#include <utility>

#include "src/collectives/reduce_groups.h"
#include "src/framework/communication/collective_registry.h"
#include "src/framework/device/device.h"

namespace dfrun {
namespace {

constexpr std::array<std::pair<std::string_view, CollectivesOption>, 3> kOptions = {
    {{"auto", CollectivesOption::kAuto},
     {"lowered", CollectivesOption::kLowered},
     {"participants", CollectivesOption::kParticipants}}};

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

// A rule that takes an implementation by itself, without being asked, for collectives of at least so many bytes and
// participants.
struct Rule {
  std::string_view implementation;
  int64_t least_bytes;
  int least_participants;
  int most_participants;  // holds also where the user asks for it
};
constexpr std::array<Rule, 1> kRules = {{
    // Sends and sums take the same ways, and passes see them; no step is shorter by it on two ranks of one host
    // (docs/performance.md, "Ranks"). It has channels for each pair of participants,
    // and folds all in one go.
    {"point_to_point", kNever, 2, kMaxInOneReduction},
}};

bool IsTaken(std::string_view implementation, const CollectiveRequest& request, bool is_wanted) {
  for (const Rule& rule : kRules) {
    if (rule.implementation != implementation) continue;
    if (request.participants > rule.most_participants) return false;
    return is_wanted || (request.bytes >= rule.least_bytes && request.participants >= rule.least_participants);
  }
  return is_wanted;
}

}  // namespace

Result<CollectivesOption> ParseCollectivesOption(std::string_view text) {
  for (const auto& [name, option] : kOptions) {
    if (name == text) return option;
  }
  return Error(Code::kUsage, "--collectives is '", text, "'; it can be auto, lowered or participants");
}

Result<std::string> ChooseCollective(const CollectiveRequest& request, CollectivesOption option) {
  const std::string lowered;
  if (option == CollectivesOption::kLowered) return lowered;
  if (request.participants < 2) return lowered;
  std::vector<std::string> types;
  for (const std::string& device : request.devices) {
    DF_ASSIGN(const DeviceName name, DeviceName::Parse(device));
    types.push_back(name.type.value_or(""));
  }
  // A participant is a device: two on one of them are no collective.
  const std::set<std::string> distinct(request.devices.begin(), request.devices.end());
  if (distinct.size() < request.devices.size()) return lowered;
  std::string implementation = FindCollective(types);
  return IsTaken(implementation, request, option == CollectivesOption::kParticipants) ? implementation : lowered;
}

}  // namespace dfrun
