// The facts that each rank reports of itself at start, and the differences between ranks that should not be there.
#ifndef DFRUN_COMM_BOOTSTRAP_RANK_FACTS_H_
#define DFRUN_COMM_BOOTSTRAP_RANK_FACTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/base/status.h"

namespace dfrun::comm {

// A fact on which ranks should agree.
struct RankFact {
  std::string name;   // "HDF5"
  std::string value;  // "1.10.8"; one line
};

struct RankInfo {
  std::string host;
  std::string build;      // identifies the binary
  int cpu_isa_level = 0;  // see cpu_isa.h
  int64_t clock_ns = 0;   // system clock at the moment when all ranks had met
  std::vector<RankFact> facts = {};

  std::string Serialize() const;
};

// Parses the text that rank `rank` serialized. FailedPrecondition if another version of dfrun has written it.
Result<RankInfo> ParseRankInfo(const std::string& text, size_t rank);

// Returns FailedPrecondition if ranks run different builds; the message names two.
Status CheckBuilds(const std::vector<RankInfo>& ranks);

// Returns a text for each way in which ranks differ from rank 0: in a fact, in the instruction set, or by more than a
// second in their clocks. A text names the first such rank and says how many there are. With such a difference, the
// bits of a result, or which error comes first, may differ between ranks.
std::vector<std::string> FindDifferences(const std::vector<RankInfo>& ranks);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_BOOTSTRAP_RANK_FACTS_H_
