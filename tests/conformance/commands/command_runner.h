// Runs the dfrun program in a scratch directory of its own.
#ifndef DFRUN_TESTS_CONFORMANCE_COMMANDS_COMMAND_RUNNER_H_
#define DFRUN_TESTS_CONFORMANCE_COMMANDS_COMMAND_RUNNER_H_

#include <gtest/gtest.h>

#include <string>

namespace dfrun {

std::string ReadText(const std::string& path);

class CommandTest : public ::testing::Test {
 protected:
  CommandTest();
  ~CommandTest() override;

  // Exit code of `LAUNCHER dfrun ARGS`, 124 where it takes too long; what it printed is in output_.
  int Dfrun(const std::string& args, const std::string& launcher = "");
  const std::string& work() const { return work_; }

  std::string output_;

 private:
  std::string work_;
};

}  // namespace dfrun

#endif  // DFRUN_TESTS_CONFORMANCE_COMMANDS_COMMAND_RUNNER_H_
