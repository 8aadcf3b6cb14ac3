// A subcommand of dfrun is one file in jobs/ that registers itself:
//
//   COMMAND("info", "Shows what this binary is made of.", "dfrun info", [](Options& args) -> RunCommand {
//     auto options = std::make_shared<InfoOptions>();
//     args.Flag("--json", options->json, "...");
//     return [options]() -> Result<int> { ... };
//   });
//
// Every long option `--foo-bar` may also be given as the environment variable DFRUN_FOO_BAR; the flag wins.
#ifndef DFRUN_JOBS_COMMAND_H_
#define DFRUN_JOBS_COMMAND_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "jobs/options.h"
#include "src/base/status.h"

namespace dfrun::jobs {

// Runs after the options are read. The process's exit code, or an error that main() prints (exit code by its Code).
// Under MPI rank 0 alone says what went wrong; all ranks return ExitCode() of it, and nothing is printed twice.
using RunCommand = std::function<Result<int>()>;

struct Command {
  std::string description;  // one line
  std::string example;      // shown by --help
  std::function<RunCommand(Options&)> setup;
};

// By name. Filled before main().
std::map<std::string, Command>& Commands();

// Gives `args` the subcommands of `commands`, of which one must be chosen; its RunCommand ends up in *chosen when the
// command line is read.
void AddCommands(Options& args, const std::map<std::string, Command>& commands, RunCommand* chosen);

// Reads the words after the program's name. Gives the exit code where there is nothing to run: help was asked for and
// printed, or the words are wrong, which it has said on stderr.
std::optional<int> ReadCommandLine(std::vector<std::string> words, RunCommand* chosen);

// Says on stderr why a command failed.
void PrintError(const Status& status);

struct CommandRegistration {
  CommandRegistration(std::map<std::string, Command>& commands, const std::string& name, Command command) {
    commands.emplace(name, std::move(command));
  }
};

#define COMMAND(name, ...)                                                             \
  static const ::dfrun::jobs::CommandRegistration DF_CONCAT(df_command_, __COUNTER__)( \
      ::dfrun::jobs::Commands(), name, ::dfrun::jobs::Command{__VA_ARGS__})

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_COMMAND_H_
