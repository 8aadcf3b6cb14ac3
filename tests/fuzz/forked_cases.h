// Runs cases in child processes. A case that ends its process, by a signal or by taking too long, is reported, and the
// next child continues after it.
#ifndef DFRUN_TESTS_FUZZ_FORKED_CASES_H_
#define DFRUN_TESTS_FUZZ_FORKED_CASES_H_

#include <cstdint>
#include <functional>

namespace dfrun::fuzz {

struct ForkedCases {
  int64_t first = 0;
  int64_t count = 0;
  // Runs case i, in a child whose memory and time are bounded.
  std::function<void(int64_t i)> run;
  // Reports, in the parent, a case that ended its child.
  std::function<void(int64_t i, const char* how)> report;
};

// Returns how many cases ended their process.
int64_t RunForked(const ForkedCases& cases);

}  // namespace dfrun::fuzz

#endif  // DFRUN_TESTS_FUZZ_FORKED_CASES_H_
