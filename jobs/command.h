// The interface of a subcommand of dfrun. Each is a file in jobs/ that registers itself:
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
#include <utility>
#include <vector>

#include "jobs/options.h"
#include "src/base/status.h"

namespace dfrun::jobs {

// Runs the command after the options are read. Returns the process's exit code, or an error that main() prints, whose
// Code gives the exit code. Under MPI only rank 0 prints the error; all ranks return its ExitCode(), so that nothing is
// printed twice.
using RunCommand = std::function<Result<int>()>;

struct Command {
  std::string description;  // one line
  std::string example;      // shown by --help
  std::function<RunCommand(Options&)> setup;
  // Name of the program that has the command, and stands beside dfrun (jobs/program.h). Empty: this program has it.
  std::string program = {};
};

// Returns the subcommands by name. They are registered before main().
std::map<std::string, Command>& Commands();

// Adds the subcommands of `commands` to `args`, one of which must be chosen. Reading the command line sets `*chosen` to
// its RunCommand.
void AddCommands(Options& args, const std::map<std::string, Command>& commands, RunCommand* chosen);

// Reads the words after the program's name. Returns an exit code if there is nothing to run: help was asked for and
// printed, or the words are wrong and the error was printed to stderr.
std::optional<int> ReadCommandLine(std::vector<std::string> words, RunCommand* chosen);

// Prints to stderr why a command failed.
void PrintError(const Status& status);

// Registers a command. A program that is linked with the command itself needs no other program for it.
struct CommandRegistration {
  CommandRegistration(std::map<std::string, Command>& commands, const std::string& name, Command command) {
    Command& registered = commands[name];
    if (!registered.setup) registered = std::move(command);
  }
};

#define COMMAND(name, ...)                                                             \
  static const ::dfrun::jobs::CommandRegistration DF_CONCAT(df_command_, __COUNTER__)( \
      ::dfrun::jobs::Commands(), name, ::dfrun::jobs::Command{__VA_ARGS__})

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_COMMAND_H_
