// A collective as one node of each participant, whose kernels call an implementation of
// src/framework/communication/collective.h.
#ifndef DFRUN_SRC_COLLECTIVES_PARTICIPANT_EXCHANGE_H_
#define DFRUN_SRC_COLLECTIVES_PARTICIPANT_EXCHANGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/collectives/exchange.h"

namespace dfrun {

// Makes one node of each participant.
// Thread safety: one thread.
class ParticipantExchange final : public CollectiveExchange {
 public:
  // The members' values have one shape, which is known. `group`: a number that no other collective of the graph has.
  ParticipantExchange(Graph& graph, std::vector<CollectiveMember> members, int64_t group)
      : CollectiveExchange(graph, std::move(members)), group_(group) {}

  std::vector<Output> Reduce(const std::string& merge) override;
  std::vector<Output> Gather() override;
  std::vector<Output> Scatter(const std::string& merge) override;
  // Returns, by member, the value of member `root`, the only one that has one.
  std::vector<Output> Broadcast(size_t root);

 private:
  AttrMap AttrsOf(size_t i, size_t root) const;
  std::vector<Output> AddAll(const std::string& op, const std::string& merge);

  const int64_t group_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_COLLECTIVES_PARTICIPANT_EXCHANGE_H_
