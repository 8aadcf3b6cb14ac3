#include "src/collectives/participant_exchange.h"

#include <utility>

namespace dfrun {

AttrMap ParticipantExchange::AttrsOf(size_t i, size_t root) const {
  const Output value = members()[root].value;
  return {{"T", graph().dtype(value)},          {"group", group_},
          {"index", static_cast<int64_t>(i)},   {"size", size()},
          {"root", static_cast<int64_t>(root)}, {"shape", graph().shape(value)}};
}

std::vector<Output> ParticipantExchange::AddAll(const std::string& op, const std::string& merge) {
  std::vector<Output> results;
  for (size_t i = 0; i < members().size(); ++i) {
    AttrMap attrs = AttrsOf(i, 0);
    if (!merge.empty()) attrs.Set("reduction", merge);
    results.push_back(Add(i, op, {members()[i].value}, std::move(attrs)));
  }
  return results;
}

std::vector<Output> ParticipantExchange::Reduce(const std::string& merge) {
  return AddAll("_AllReduce", merge);
}

std::vector<Output> ParticipantExchange::Gather() {
  return AddAll("_AllGather", "");
}

std::vector<Output> ParticipantExchange::Scatter(const std::string& merge) {
  return AddAll("_ReduceScatter", merge);
}

std::vector<Output> ParticipantExchange::Broadcast(size_t root) {
  std::vector<Output> results;
  for (size_t i = 0; i < members().size(); ++i) {
    const bool sends = i == root;
    results.push_back(Add(i, sends ? "_BroadcastSend" : "_BroadcastRecv",
                          sends ? std::vector<Output>{members()[i].value} : std::vector<Output>(), AttrsOf(i, root)));
  }
  return results;
}

}  // namespace dfrun
