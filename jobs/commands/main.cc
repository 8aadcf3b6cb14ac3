// The dfrun program.
#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "jobs/command.h"
#include "jobs/program.h"
#include "src/base/path_hint.h"
#include "src/framework/op/op.h"

namespace dfrun::jobs {
namespace {

// Inserts `run`, since `dfrun SPEC` is `dfrun run SPEC`. `words` are the arguments without the program's name.
Status InsertRun(std::vector<std::string>& words) {
  if (words.empty() || Commands().count(words[0]) > 0) return Status();
  static const std::vector<std::string> kOwnFlags = {"-h", "--help", "--version"};
  if (std::find(kOwnFlags.begin(), kOwnFlags.end(), words[0]) != kOwnFlags.end()) return Status();
  std::error_code error;
  if (words[0][0] != '-' && !std::filesystem::exists(words[0], error)) {
    std::vector<std::string> names;
    for (const auto& [name, command] : Commands()) names.push_back(name);
    const std::string near = Nearest(words[0], names);
    return Error(Code::kUsage, "'", words[0], "' is neither a command nor a spec that exists",
                 !near.empty()             ? StrCat("; did you mean 'dfrun ", near, "'?")
                 : IsForeignPath(words[0]) ? AboutPath(words[0])
                                           : "; `dfrun --help` lists the commands");
  }
  words.insert(words.begin(), "run");
  return Status();
}

}  // namespace
}  // namespace dfrun::jobs

// NOLINTNEXTLINE(bugprone-exception-escape): HandleUncaughtExceptions() ends what escapes
int main(int argc, char** argv) {
  const dfrun::Status status = dfrun::jobs::StartProgramOf(argv);
  if (!status.ok()) return dfrun::jobs::NotBegun(status);
  return dfrun::jobs::RunProgram(argc, argv, dfrun::jobs::InsertRun);
}
