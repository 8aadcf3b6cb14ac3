#include "src/executor/plan.h"

namespace dfrun {
namespace {

std::atomic<uint64_t> g_next_id{1};

}  // namespace

ExecPlan::ExecPlan() : id_(g_next_id.fetch_add(1, std::memory_order_relaxed)) {}
ExecPlan::~ExecPlan() = default;

TraceNames ExecPlan::Names() const {
  TraceNames names{device_->full_name(), {}};
  names.nodes.reserve(infos_.size());
  for (const NodeInfo* info : infos_) names.nodes.push_back({info->name, info->op->name});
  for (const auto& [node, channel] : channels_) {
    const bool sends = info(node).op->traits.boundary == Boundary::kSend;
    (sends ? names.nodes[node].sends : names.nodes[node].receives) = channel;
  }
  return names;
}

}  // namespace dfrun
