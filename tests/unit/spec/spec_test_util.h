// Specs as text, loaded from files of a directory of their own.
#ifndef DFRUN_TESTS_UNIT_SPEC_SPEC_TEST_UTIL_H_
#define DFRUN_TESTS_UNIT_SPEC_SPEC_TEST_UTIL_H_

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "src/graph/graph_def/text_dump.h"
#include "src/spec/load.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {

// Loads `text` as the spec job.yaml, with the line "dfrun: 1" before it, so that `text` begins on line 2.
inline Result<LoadedSpec> LoadText(const std::string& text, std::vector<std::string> sets = {}, int ranks = 0) {
  const ScratchDirectory directory;
  SpecOptions options;
  options.sets = std::move(sets);
  options.ranks = ranks;
  return LoadSpec(directory.Write("job.yaml", "dfrun: 1\n" + text), options);
}

// Returns the lines of the graph's dump, or the error.
inline std::string GraphOf(const std::string& text, std::vector<std::string> sets = {}) {
  const Result<LoadedSpec> spec = LoadText(text, std::move(sets));
  return spec.ok() ? DumpText(spec->graph) : spec.status().ToString();
}

// Returns the error without the directory: "job.yaml:3:5: message".
inline std::string ErrorOf(const std::string& text, std::vector<std::string> sets = {}, int ranks = 0) {
  const Result<LoadedSpec> spec = LoadText(text, std::move(sets), ranks);
  if (spec.ok()) return "no error";
  std::string error = spec.status().message();
  for (size_t at = error.find("/"); at != std::string::npos; at = error.find("/", at)) {
    const size_t name = error.find("job.yaml", at);
    if (name == std::string::npos || error.substr(at, name - at).find(' ') != std::string::npos) {
      ++at;
      continue;
    }
    error.erase(at, name - at);
  }
  return error;
}

}  // namespace dfrun

#endif  // DFRUN_TESTS_UNIT_SPEC_SPEC_TEST_UTIL_H_
