// The command line of the fuzzers.
#ifndef DFRUN_TESTS_FUZZ_FUZZ_OPTIONS_H_
#define DFRUN_TESTS_FUZZ_FUZZ_OPTIONS_H_

#include <cstdint>
#include <string>

namespace dfrun::fuzz {

struct Options {
  uint64_t seed = 1;
  int64_t first = 0;
  int64_t iterations = 20'000;
  std::string op;
  bool verbose = false;
  bool coverage = false;
};

// Parses the arguments; returns false if they are wrong.
bool ParseOptions(int argc, char** argv, Options& options);

// A hash function: neighbouring inputs have unrelated outputs.
uint64_t Mix(uint64_t x);

// Returns a seed for case i. It is unrelated to the seeds of other cases and of other `seed`s.
inline uint64_t CaseSeed(uint64_t seed, int64_t i) {
  return Mix(Mix(seed) + static_cast<uint64_t>(i));
}

}  // namespace dfrun::fuzz

#endif  // DFRUN_TESTS_FUZZ_FUZZ_OPTIONS_H_
