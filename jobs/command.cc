#include "jobs/command.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace dfrun::jobs {
namespace {

// --foo-bar may come from DFRUN_FOO_BAR.
void ReadFromEnvironment(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_lnames().empty() || option->get_lnames()[0] == "help") continue;
    std::string name = "DFRUN_" + option->get_lnames()[0];
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return c == '-' ? '_' : static_cast<char>(std::toupper(c)); });
    option->envname(name);
  }
}

}  // namespace

std::map<std::string, Command>& Commands() {
  static std::map<std::string, Command>& commands = *new std::map<std::string, Command>();
  return commands;
}

void AddCommands(CLI::App& app, const std::map<std::string, Command>& commands, RunCommand* chosen) {
  for (const auto& [name, command] : commands) {
    CLI::App* sub = app.add_subcommand(name, command.description);
    sub->footer("Example:\n  " + command.example);
    RunCommand run = command.setup(*sub);
    ReadFromEnvironment(*sub);
    if (run) sub->callback([chosen, run = std::move(run)] { *chosen = run; });
  }
}

}  // namespace dfrun::jobs
