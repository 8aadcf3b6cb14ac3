// A collective as Sends, Recvs and sums: nodes like any other, which passes see.
#ifndef DFRUN_SRC_COLLECTIVES_LOWERED_EXCHANGE_H_
#define DFRUN_SRC_COLLECTIVES_LOWERED_EXCHANGE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "src/collectives/exchange.h"

namespace dfrun {

class LoweredExchange final : public CollectiveExchange {
 public:
  LoweredExchange(Graph& graph, std::vector<CollectiveMember> members)
      : CollectiveExchange(graph, std::move(members)) {}

  // Of three members and more with large values of known shape each folds one part, and they exchange these: every
  // member then receives twice the size of a value at most, instead of one value from each other.
  std::vector<Output> Reduce(const std::string& merge) override;
  std::vector<Output> Gather() override;
  std::vector<Output> Scatter(const std::string& merge) override;

 private:
  // Below this many bytes a value travels whole: the second message would take longer than the bytes.
  static constexpr int64_t kWholeBytes = int64_t{1} << 16;

  bool IsWorthParting() const;
  Output Fold(size_t i, const std::string& merge, const std::vector<Output>& values);
  std::vector<Output> ReduceParts(const std::string& merge);
  std::vector<Output> FoldParts(const std::string& merge, const std::vector<std::vector<Output>>& parts);
};

}  // namespace dfrun

#endif  // DFRUN_SRC_COLLECTIVES_LOWERED_EXCHANGE_H_
