// A collective as Sends, Recvs and sums: nodes like any other, which passes see.
#ifndef DFRUN_SRC_COLLECTIVES_LOWERED_EXCHANGE_H_
#define DFRUN_SRC_COLLECTIVES_LOWERED_EXCHANGE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "src/collectives/exchange.h"
#include "src/collectives/reduce_groups.h"

namespace dfrun {

// Lowers a collective to Sends, Recvs and sums.
// Thread safety: one thread.
class LoweredExchange final : public CollectiveExchange {
 public:
  LoweredExchange(Graph& graph, std::vector<CollectiveMember> members)
      : CollectiveExchange(graph, std::move(members)) {}

  // With three members and more and large values of known shape, each member folds one part, and they exchange these:
  // every member then receives twice the size of a value at most, instead of one value from each other.
  //
  // Many members fold by groups (reduce_groups.h), and then the groups' folds: n members that all exchange have n * n
  // edges, groups of them 3 n for small values and 3 n * sqrt(n) for large.
  std::vector<Output> Reduce(const std::string& merge) override;
  std::vector<Output> Gather() override;
  std::vector<Output> Scatter(const std::string& merge) override;

 private:
  // Below this many bytes a value travels whole: the second message would take longer than the bytes.
  static constexpr int64_t kWholeBytes = int64_t{1} << 16;

  bool IsWorthParting() const;
  // Folds `values` in their order at member i.
  Output ReduceValues(size_t i, const std::string& merge, const std::vector<Output>& values);
  // Folds one value of each member at member i, by groups where there are several.
  Output ReduceAll(size_t i, const std::string& merge, const std::vector<Output>& values);
  // The value of each member, flat, in so many parts.
  std::vector<std::vector<Output>> Split(size_t num_parts);
  // Returns, by group, the fold of each part of all members, at its holder. parts[j][p]: part p of member j.
  std::vector<std::vector<Output>> ReduceByGroups(const std::string& merge, const std::vector<ReduceGroup>& groups,
                                                  const std::vector<std::vector<Output>>& parts);
  // Joins the parts to a value at member i.
  Output Join(size_t i, const std::vector<Output>& parts);
};

}  // namespace dfrun

#endif  // DFRUN_SRC_COLLECTIVES_LOWERED_EXCHANGE_H_
