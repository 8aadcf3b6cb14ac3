#include "src/framework/communication/collective.h"

#include <algorithm>
#include <array>
#include <utility>

namespace dfrun {
namespace {

struct ParticipantOp {
  std::string_view op;
  CollectiveKind kind;
};
constexpr std::array<ParticipantOp, 5> kOps = {{{"_AllReduce", CollectiveKind::kAllReduce},
                                                {"_AllGather", CollectiveKind::kAllGather},
                                                {"_ReduceScatter", CollectiveKind::kReduceScatter},
                                                {"_BroadcastSend", CollectiveKind::kBroadcast},
                                                {"_BroadcastRecv", CollectiveKind::kBroadcast}}};

constexpr std::array<std::pair<std::string_view, Reduction>, 5> kReductions = {{{"Add", Reduction::kAdd},
                                                                                {"Mul", Reduction::kMul},
                                                                                {"Min", Reduction::kMin},
                                                                                {"Max", Reduction::kMax},
                                                                                {"Mean", Reduction::kMean}}};

const ParticipantOp* FindOp(std::string_view op) {
  const auto* const found = std::find_if(kOps.begin(), kOps.end(), [&](const auto& entry) { return entry.op == op; });
  return found == kOps.end() ? nullptr : found;
}

bool Fits(int64_t number, size_t end) {
  return number >= 0 && number < static_cast<int64_t>(end);
}

}  // namespace

std::string_view CollectiveName(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::kAllReduce:
      return "AllReduce";
    case CollectiveKind::kAllGather:
      return "AllGather";
    case CollectiveKind::kReduceScatter:
      return "ReduceScatter";
    case CollectiveKind::kBroadcast:
      break;
  }
  return "Broadcast";
}

Result<Reduction> ParseReduction(std::string_view text) {
  for (const auto& [name, reduction] : kReductions) {
    if (name == text) return reduction;
  }
  return InvalidArgument("'", text, "' is no reduction: there are Add, Mul, Min, Max and Mean");
}

bool IsParticipantOp(std::string_view op) {
  return FindOp(op) != nullptr;
}

Result<CollectivePlan> ReadCollectivePlan(std::string_view op, const AttrMap& attrs) {
  const ParticipantOp* const found = FindOp(op);
  if (found == nullptr) return InvalidArgument(op, " is no participant of a collective");
  CollectivePlan plan;
  plan.kind = found->kind;
  DF_ASSIGN(plan.dtype, attrs.Get<DType>("T"));
  DF_ASSIGN(const PartialShape declared, attrs.Get<PartialShape>("shape"));
  if (!declared.IsFullyDefined()) return InvalidArgument("a participant's shape must be known, and is ", declared);
  DF_ASSIGN(const Shape shape, declared.ToShape());
  plan.elements = shape.num_elements();
  DF_ASSIGN(plan.ranks, attrs.Get<std::vector<int64_t>>("ranks"));
  DF_ASSIGN(const int64_t index, attrs.Get<int64_t>("index"));
  DF_ASSIGN(const int64_t root, attrs.Get<int64_t>("root"));
  DF_ASSIGN(const int64_t channel, attrs.Get<int64_t>("channel"));
  const bool parts = plan.ranks.empty() || plan.elements % plan.size() == 0;
  if (!Fits(index, plan.ranks.size()) || !Fits(root, plan.ranks.size()) || !Fits(channel, size_t{1} << 31) ||
      (plan.kind == CollectiveKind::kReduceScatter && !parts)) {
    return InvalidArgument("participant ", index, " of ", plan.ranks.size(), ", root ", root, ", channel ", channel,
                           ", ", shape, " each: only the compilation of a graph makes nodes of ", op);
  }
  plan.index = static_cast<int>(index);
  plan.root = static_cast<int>(root);
  plan.channel = static_cast<int32_t>(channel);
  return plan;
}

}  // namespace dfrun
