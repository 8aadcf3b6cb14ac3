#include "tests/fuzz/fuzz_options.h"

#include <cstdlib>

namespace dfrun::fuzz {

bool ParseOptions(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--verbose" || flag == "--coverage") {
      (flag == "--verbose" ? options.verbose : options.coverage) = true;
      continue;
    }
    if (i + 1 >= argc) return false;
    const char* value = argv[++i];
    if (flag == "--seed") {
      options.seed = std::strtoull(value, nullptr, 10);
    } else if (flag == "--first") {
      options.first = std::strtoll(value, nullptr, 10);
    } else if (flag == "--iterations") {
      options.iterations = std::strtoll(value, nullptr, 10);
    } else if (flag == "--op") {
      options.op = value;
    } else {
      return false;
    }
  }
  return true;
}

// The finaliser of SplitMix64.
uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace dfrun::fuzz
