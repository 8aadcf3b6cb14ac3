// Runs the dfrun program in a scratch directory of its own.
#ifndef DFRUN_TESTS_CONFORMANCE_COMMANDS_COMMAND_RUNNER_H_
#define DFRUN_TESTS_CONFORMANCE_COMMANDS_COMMAND_RUNNER_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "src/framework/tensor.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {

std::string ReadText(const std::string& path);
// The lines of a text file but for empty ones and those that begin with #.
std::vector<std::string> ReadLines(const std::string& path);
// A dataset of an HDF5 file; the test fails, and no value comes back, where there is none.
Tensor ReadDataset(const std::string& path, const std::string& name);

class CommandTest : public ::testing::Test {
 protected:
  CommandTest();

  // Exit code of `LAUNCHER dfrun ARGS`, 124 where it takes too long; what it printed is in output_.
  int Dfrun(const std::string& args, const std::string& launcher = "");
  // The value that `dfrun eval ARGS --fetch FETCH` writes; the test fails, and no value comes back, where it fails.
  Tensor Evaluate(const std::string& args, const std::string& fetch);
  // A file of the scratch directory.
  std::string Path(const std::string& name) const { return scratch_.Path(name); }
  std::string Write(const std::string& name, const std::string& text) const { return scratch_.Write(name, text); }
  const std::string& work() const { return scratch_.path(); }

  std::string output_;

 private:
  const ScratchDirectory scratch_;
};

}  // namespace dfrun

#endif  // DFRUN_TESTS_CONFORMANCE_COMMANDS_COMMAND_RUNNER_H_
