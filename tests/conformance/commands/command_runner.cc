#include "tests/conformance/commands/command_runner.h"

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace dfrun {

std::string ReadText(const std::string& path) {
  std::ifstream in(path);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

CommandTest::CommandTest() {
  std::string pattern = (std::filesystem::temp_directory_path() / "dfrun_commands_XXXXXX").string();
  work_ = mkdtemp(pattern.data());
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
}

CommandTest::~CommandTest() {
  std::filesystem::remove_all(work_);
}

int CommandTest::Dfrun(const std::string& args, const std::string& launcher) {
  const std::string log = work_ + "/log";
  const std::string command =
      "timeout 100 " + launcher + " " + DFRUN_PROGRAM + " " + args + " > " + log + " 2>&1 < /dev/null";
  const int status = std::system(command.c_str());
  output_ = ReadText(log);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace dfrun
