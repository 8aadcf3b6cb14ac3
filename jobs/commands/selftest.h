// The self-test of `dfrun info --selftest`: it checks that each transport moves bytes between all pairs of ranks
// undamaged, and about equally fast.
#ifndef DFRUN_JOBS_COMMANDS_SELFTEST_H_
#define DFRUN_JOBS_COMMANDS_SELFTEST_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "comm/bootstrap/bootstrap.h"
#include "src/costs/cost_table.h"

namespace dfrun::jobs {

// The speed of a pair is that of messages up to this size, of which there must be some: values of a step come from the
// caches, where larger ones have no room.
inline constexpr int64_t kSpeedBytes = int64_t{1} << 20;

struct SelftestOptions {
  int64_t most_bytes = int64_t{1} << 30;
  int64_t timeout_s = 60;  // timeout of one message
};

// The findings on rank 0: a text for each pair of ranks and transport.
struct SelftestResult {
  std::vector<std::string> wrong;  // data did not come or were damaged; the text names the first damaged byte
  std::vector<std::string> slow;   // several times slower than the median of all pairs
  std::vector<std::string> noisy;  // by transport: the pair whose messages take most beside the least time of one
  // By the class of the pair, with the transport that a run would choose; empty where no message has kSpeedBytes.
  std::map<PairClass, PairSpeed> speeds;
};

// Sends patterned data of 0 B to most_bytes to and fro between all pairs, and checks each byte. Prints a table for each
// transport on rank 0, with the least time of some trips. Collective.
Result<SelftestResult> Selftest(comm::Bootstrap& bootstrap, const std::vector<std::string>& hosts,
                                const SelftestOptions& options);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_COMMANDS_SELFTEST_H_
