// What each rank says of itself at start, and where ranks differ that should not.
#ifndef DFRUN_COMM_BOOTSTRAP_RANK_FACTS_H_
#define DFRUN_COMM_BOOTSTRAP_RANK_FACTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/base/status.h"

namespace dfrun::comm {

// A fact in which ranks should agree.
struct RankFact {
  std::string name;   // "HDF5"
  std::string value;  // "1.10.8"; one line
};

struct RankInfo {
  std::string host;
  std::string build;      // identifies the binary
  int cpu_isa_level = 0;  // see cpu_isa.h
  int64_t clock_ns = 0;   // of the system's clock, when all ranks had met
  std::vector<RankFact> facts = {};

  std::string Serialize() const;
};

// FailedPrecondition: another version of dfrun has written it, on rank `rank`.
Result<RankInfo> ParseRankInfo(const std::string& text, size_t rank);

// FailedPrecondition where ranks run different builds; it names two.
Status CheckBuilds(const std::vector<RankInfo>& ranks);

// Where ranks differ from rank 0 in a fact, the instruction set, or by more than a second in their clocks: a text for
// each field and value, which names the first such rank, and how many there are. Bits, or which error was the first,
// may then not be what they are elsewhere.
std::vector<std::string> FindDifferences(const std::vector<RankInfo>& ranks);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_BOOTSTRAP_RANK_FACTS_H_
