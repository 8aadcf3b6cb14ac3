#include "jobs/command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <string_view>
#include <utility>

#include "src/base/json/log_line.h"
#include "src/base/printable.h"
#include "src/base/terminal.h"
#include "src/framework/op/op.h"

namespace dfrun::jobs {
namespace {

constexpr int kUsageError = 64;

// Lets DFRUN_FOO_BAR set --foo-bar.
void ReadFromEnvironment(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_lnames().empty() || option->get_lnames()[0] == "help") continue;
    std::string name = "DFRUN_" + option->get_lnames()[0];
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return c == '-' ? '_' : static_cast<char>(std::toupper(c)); });
    option->envname(name);
  }
}

void AddOptionNames(const CLI::App& app, std::vector<std::string>& names) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (const CLI::App* command : app.get_subcommands()) AddOptionNames(*command, names);
}

// Returns what the first unknown option among the words may be meant for.
std::string AboutUnknown(const CLI::App& app, const std::vector<std::string>& words) {
  std::vector<std::string> names;
  AddOptionNames(app, names);
  for (const std::string& word : words) {
    const std::string near = word.starts_with("--") ? Nearest(word.substr(0, word.find('=')), names) : "";
    if (!near.empty()) return StrCat(", did you mean '", near, "'?");
  }
  return "";
}

// Explains an error. CLI11 reports what is missing before what is unknown, though the unknown word mostly is the
// reason.
std::string Explain(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> unknown = app.remaining(/*recurse=*/true);
  const std::string near = AboutUnknown(app, unknown);
  if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::RequiredError) || unknown.empty())
    return error.what() + near;
  return StrCat("'", unknown[0], "' is not known here", near, near.empty() ? ", and " : " ", error.what());
}

}  // namespace

std::map<std::string, Command>& Commands() {
  static std::map<std::string, Command>& commands = *new std::map<std::string, Command>();
  return commands;
}

void AddCommands(Options& args, const std::map<std::string, Command>& commands, RunCommand* chosen) {
  args.app().require_subcommand(1);
  for (const auto& [name, command] : commands) {
    CLI::App* sub = args.app().add_subcommand(name, command.description);
    sub->footer("Example:\n  " + command.example);
    Options sub_args(*sub);
    RunCommand run = command.setup ? command.setup(sub_args) : RunCommand();
    ReadFromEnvironment(*sub);
    if (run) sub->callback([chosen, run = std::move(run)] { *chosen = run; });
  }
}

void PrintError(const Status& status) {
  if (LogsAsJson() || (status.code() != Code::kBadSpec && status.code() != Code::kNoInput)) {
    return WriteLine(stderr, LogLevel::kError, "dfrun: ", status.message());
  }
  if (!IsTaken(stderr)) return;
  // The message of a bad spec, or of data that it names, consists of lines of file:line:column, which editors jump to.
  std::string_view rest = status.message();
  while (true) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::fprintf(stderr, "%s\n", PrintableLine(rest.substr(0, end)).c_str());
    if (end == rest.size()) return;
    rest.remove_prefix(end + 1);
  }
}

std::optional<int> ReadCommandLine(std::vector<std::string> words, RunCommand* chosen) {
  CLI::App app("dfrun trains and runs dataflow graphs over MPI ranks.", "dfrun");
  app.footer("`dfrun SPEC` is short for `dfrun run SPEC`.\nExample:\n  mpirun -np 4 dfrun configs/digits_mlp.yaml");
  app.set_version_flag("--version", "dfrun " DFRUN_VERSION);
  Options args(app);
  AddCommands(args, Commands(), chosen);
  std::reverse(words.begin(), words.end());  // CLI11 wants them reversed
  try {
    app.parse(words);
  } catch (const CLI::Success& wanted) {  // thrown for --help and --version
    return app.exit(wanted);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "dfrun: %s\nRun with --help for what can be given.\n",
                 PrintableText(Explain(app, error)).c_str());
    return kUsageError;
  }
  return std::nullopt;
}

}  // namespace dfrun::jobs
