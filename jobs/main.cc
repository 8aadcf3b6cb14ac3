// The dfrun program: reads the command line, runs one subcommand, turns its outcome into an exit code.
#include <malloc.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "comm/bootstrap/launcher.h"
#include "comm/bootstrap/stage_watch.h"
#include "jobs/command.h"
#include "jobs/uncaught.h"
#include "src/base/descriptors.h"
#include "src/base/path_hint.h"
#include "src/base/terminal.h"
#include "src/framework/device/device_part.h"
#include "src/framework/op/op.h"
#include "src/storage/hdf5_helper.h"

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

// Ends the process without exit(), which would wait for the reader of the standard output.
[[noreturn]] void EndWithoutReader(int code, const Status& status) {
  if (!status.ok()) PrintError(status);
  std::_Exit(code);
}

// Loads the devices' libraries and reads the command line, as ReadCommandLine() does.
std::optional<int> Choose(std::vector<std::string> words, RunCommand* chosen) {
  const comm::StartStage stage("the parts for its devices to load");
  Status status = LoadDeviceParts();
  if (status.ok()) status = InsertRun(words);
  if (status.ok()) return ReadCommandLine(std::move(words), chosen);
  PrintError(status);
  return ExitCode(status.code());
}

int Run(std::vector<std::string> words) {
  RunCommand chosen;
  if (const std::optional<int> code = Choose(std::move(words), &chosen)) return *code;
  Result<int> code = chosen();
  if (!IsTaken(stdout)) EndWithoutReader(code.ok() ? *code : ExitCode(code.status().code()), code.status());
  if (code.ok() && (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)) {
    code = IoError("cannot write to the standard output: ", std::strerror(errno));
  }
  if (code.ok()) return *code;
  PrintError(code.status());
  return ExitCode(code.status().code());
}

}  // namespace
}  // namespace dfrun::jobs

// NOLINTNEXTLINE(bugprone-exception-escape): HandleUncaughtExceptions() ends what escapes
int main(int argc, char** argv) {
  // If ranks are threads, they belong to the launcher's program, which cannot be started as a helper. Foreign files are
  // then opened in their process.
  if (!dfrun::comm::RanksAreThreads()) {
    if (const std::optional<int> code = dfrun::RunAsHdf5Helper(argc, argv)) return *code;
  }
  dfrun::jobs::HandleUncaughtExceptions();
  dfrun::comm::StageWatch::OfProcess().Start();
  dfrun::RaiseDescriptorLimit();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of the write
  // Each large block that is given back makes glibc walk all small ones kept aside so far: a fifth of what building a
  // graph of 100,000 nodes takes.
  mallopt(M_MXFAST, 0);
  return dfrun::jobs::Run(std::vector<std::string>(argv + 1, argv + argc));
}
