#include "src/executor/plan/plan.h"

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
  for (const BlockingInfo& blocking : blocking_infos_) {
    if (blocking.channel < 0) continue;
    const bool sends = info(blocking.node).op->traits.boundary == Boundary::kSend;
    (sends ? names.nodes[blocking.node].sends : names.nodes[blocking.node].receives) = blocking.channel;
  }
  return names;
}

}  // namespace dfrun
