// A subcommand of dfrun is one file in jobs/ that registers itself:
//
//   COMMAND("info", "Shows what this binary is made of.", "dfrun info", [](CLI::App& app) -> RunCommand {
//     auto options = std::make_shared<InfoOptions>();
//     app.add_flag("--json", options->json, "...");
//     return [options]() -> Result<int> { ... };
//   });
//
// Every long option `--foo-bar` may also be given as the environment variable DFRUN_FOO_BAR; the flag wins.
#ifndef DFRUN_JOBS_COMMAND_H_
#define DFRUN_JOBS_COMMAND_H_

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <string>

#include "src/base/status.h"

namespace dfrun::jobs {

// Runs after the options are read. The process's exit code, or an error that main() prints (exit code by its Code).
// Under MPI only rank 0 returns errors; other ranks return ExitCode() of theirs, and nothing is printed twice.
using RunCommand = std::function<Result<int>()>;

struct Command {
  std::string description;  // one line
  std::string example;      // shown by --help
  std::function<RunCommand(CLI::App&)> setup;
};

// By name. Filled before main().
std::map<std::string, Command>& Commands();

// Gives `app` the subcommands of `commands`, of which one must be chosen, if any; the chosen one's RunCommand ends up
// in *chosen when the command line is parsed.
void AddCommands(CLI::App& app, const std::map<std::string, Command>& commands, RunCommand* chosen);

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
