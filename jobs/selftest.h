// dfrun info --selftest: whether each transport moves bytes between all pairs of ranks, whole and as fast as between
// the others.
#ifndef DFRUN_JOBS_SELFTEST_H_
#define DFRUN_JOBS_SELFTEST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "comm/bootstrap/bootstrap.h"

namespace dfrun::jobs {

struct SelftestOptions {
  int64_t most_bytes = int64_t{1} << 30;
  int timeout_s = 60;  // of one message
};

// A text for each pair of ranks and transport, on rank 0.
struct SelftestResult {
  std::vector<std::string> wrong;  // data were damaged, named by the first byte, or did not come
  std::vector<std::string> slow;   // several times slower than the median of all pairs
};

// Sends patterned data of 0 B to most_bytes to and fro between all pairs, and checks each byte. Prints, on rank 0, a
// table for each transport: the least of some trips. Collective.
Result<SelftestResult> Selftest(comm::Bootstrap& bootstrap, const std::vector<std::string>& hosts,
                                const SelftestOptions& options);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_SELFTEST_H_
