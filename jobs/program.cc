#include "jobs/program.h"

#include <malloc.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "comm/bootstrap/launcher.h"
#include "comm/bootstrap/stage_watch.h"
#include "jobs/command.h"
#include "jobs/uncaught.h"
#include "src/base/descriptors.h"
#include "src/base/terminal.h"
#include "src/framework/device/device_part.h"
#include "src/storage/hdf5_helper.h"

namespace dfrun::jobs {
namespace {

// Ends the process without exit(), which would wait for the reader of the standard output.
[[noreturn]] void EndWithoutReader(int code, const Status& status) {
  if (!status.ok()) PrintError(status);
  std::_Exit(code);
}

// Loads the devices' libraries and reads the command line, as ReadCommandLine() does.
std::optional<int> Choose(std::vector<std::string> words, const CompleteWords& complete, RunCommand* chosen) {
  const comm::StartStage stage("the parts for its devices to load");
  Status status = LoadDeviceParts();
  if (status.ok()) status = complete(words);
  if (status.ok()) return ReadCommandLine(std::move(words), chosen);
  return NotBegun(status);
}

int Run(std::vector<std::string> words, const CompleteWords& complete) {
  RunCommand chosen;
  if (const std::optional<int> code = Choose(std::move(words), complete, &chosen)) return *code;
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

Status StartProgramOf(char** argv) {
  const auto command = argv[0] == nullptr || argv[1] == nullptr ? Commands().end() : Commands().find(argv[1]);
  if (command == Commands().end() || command->second.program.empty()) return Status();
  std::error_code error;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) {
    return IoError("cannot start the program of 'dfrun ", command->first,
                   "', which stands beside dfrun: cannot read /proc/self/exe: ", error.message());
  }
  const std::string program = own.parent_path() / command->second.program;
  ::execv(program.c_str(), argv);
  return IoError("cannot start '", program, "', the program of 'dfrun ", command->first, "': ", std::strerror(errno),
                 "; it belongs beside dfrun, and is built and installed with it");
}

int NotBegun(const Status& status) {
  PrintError(status);
  return ExitCode(status.code());
}

int RunProgram(int argc, char** argv, const CompleteWords& complete) {
  // If ranks are threads, they belong to the launcher's program, which cannot be started as a helper. Foreign files are
  // then opened in their process.
  if (!comm::RanksAreThreads()) {
    if (const std::optional<int> code = RunAsHdf5Helper(argc, argv)) return *code;
  }
  HandleUncaughtExceptions();
  comm::StageWatch::OfProcess().Start();
  RaiseDescriptorLimit();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of the write
  // Each large block that is given back makes glibc walk all small ones kept aside so far: a fifth of what building a
  // graph of 100,000 nodes takes.
  mallopt(M_MXFAST, 0);
  return Run(std::vector<std::string>(argv + 1, argv + argc), complete);
}

}  // namespace dfrun::jobs
