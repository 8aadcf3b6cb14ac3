// A test fixture that runs the dfrun program in a scratch directory of its own.
#ifndef DFRUN_TESTS_CONFORMANCE_COMMANDS_COMMAND_RUNNER_H_
#define DFRUN_TESTS_CONFORMANCE_COMMANDS_COMMAND_RUNNER_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "src/framework/values/tensor.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {

std::string ReadText(const std::string& path);
// Returns the lines of a text file, except empty ones and those that begin with #.
std::vector<std::string> ReadLines(const std::string& path);
// Returns a dataset of an HDF5 file. If there is none, the test fails and the tensor has no value.
Tensor ReadDataset(const std::string& path, const std::string& name);

class CommandTest : public ::testing::Test {
 protected:
  CommandTest();

  // Runs `LAUNCHER dfrun ARGS` and returns its exit code, 124 if it takes too long. Its output is in output_.
  int Dfrun(const std::string& args, const std::string& launcher = "");
  // Returns the value that `dfrun eval ARGS --fetch FETCH` writes. If it fails, the test fails and the tensor has no
  // value.
  Tensor Evaluate(const std::string& args, const std::string& fetch);
  // Returns the path of a file in the scratch directory.
  std::string Path(const std::string& name) const { return scratch_.Path(name); }
  std::string Write(const std::string& name, const std::string& text) const { return scratch_.Write(name, text); }
  const std::string& work() const { return scratch_.path(); }

  std::string output_;

 private:
  const ScratchDirectory scratch_;
};

}  // namespace dfrun

#endif  // DFRUN_TESTS_CONFORMANCE_COMMANDS_COMMAND_RUNNER_H_
