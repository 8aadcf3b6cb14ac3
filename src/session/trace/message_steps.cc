#include "src/session/trace/message_steps.h"

#include <algorithm>

namespace dfrun {

std::string TensorOf(const TraceNames::Node& node) {
  std::string tensor = node.name;
  if (const size_t at = tensor.rfind(node.op); at != std::string::npos) tensor.erase(at, node.op.size());
  return tensor;
}

MessageSteps::MessageSteps(const Trace& trace) {
  for (const TraceRecord& record : trace.records) {
    if (record.kind != TraceRecord::Kind::kNode) continue;
    const TraceNames::Node& node = trace.node(record);
    if (node.sends >= 0) sends_[{node.sends, record.slot}].push_back(&record);
    if (node.receives >= 0) receives_[{node.receives, record.slot}].push_back(&record);
  }
  for (auto& [key, nodes] : receives_) {
    std::sort(nodes.begin(), nodes.end(),
              [](const TraceRecord* a, const TraceRecord* b) { return a->end_ns < b->end_ns; });
  }
}

const TraceRecord* MessageSteps::NodeOf(const TraceRecord& message) const {
  const bool is_send = message.kind == TraceRecord::Kind::kSend;
  const auto found = (is_send ? sends_ : receives_).find({message.channel, message.slot});
  if (found == (is_send ? sends_ : receives_).end()) return nullptr;
  const std::vector<const TraceRecord*>& nodes = found->second;
  if (is_send) {
    const auto after = std::upper_bound(nodes.begin(), nodes.end(), message.start_ns,
                                        [](int64_t ns, const TraceRecord* node) { return ns < node->start_ns; });
    return after == nodes.begin() ? nullptr : *(after - 1);
  }
  const auto node = std::lower_bound(nodes.begin(), nodes.end(), message.end_ns,
                                     [](const TraceRecord* node, int64_t ns) { return node->end_ns < ns; });
  return node == nodes.end() ? nullptr : *node;
}

}  // namespace dfrun
