// dfrun bench NAME: prints each figure beside its limit, and writes them as JSON.
#include "jobs/bench/bench.h"

#include <cstdio>
#include <memory>

#include "jobs/json.h"
#include "jobs/output_file.h"

namespace dfrun::jobs {
namespace {

void PrintTable(const std::vector<BenchFigure>& figures) {
  size_t width = 4;
  for (const BenchFigure& f : figures) width = std::max(width, f.name.size());
  std::printf("%-*s %12s %-7s %12s %7s  limit\n", static_cast<int>(width), "name", "value", "unit", "limit", "ratio");
  for (const BenchFigure& f : figures) {
    std::printf("%-*s %12.4g %-7s %12.4g %7.3f  %s\n", static_cast<int>(width), f.name.c_str(), f.value, f.unit.c_str(),
                f.limit, f.ratio(), f.limit_name.c_str());
  }
}

std::string ToJson(const std::vector<BenchFigure>& figures) {
  std::string out = "[";  // every figure carries the mark of a file that dfrun wrote
  for (const BenchFigure& f : figures) {
    out += StrCat(out.size() > 1 ? ",\n " : "", "{\"name\": ", JsonString(f.name), ", \"value\": ", JsonNumber(f.value),
                  ", \"unit\": ", JsonString(f.unit), ", \"limit\": ", JsonNumber(f.limit),
                  ", \"limit_name\": ", JsonString(f.limit_name), ", \"ratio\": ", JsonNumber(f.ratio()), ", ",
                  kJsonMark, "}");
  }
  return out + "]\n";
}

Result<int> Report(const RunBench& bench, const OutputFile& json) {
  DF_TRY(json.Check());
  DF_ASSIGN(const BenchOutcome outcome, bench());
  if (outcome.figures.empty() || outcome.exit_code != 0) return outcome.exit_code;
  PrintTable(outcome.figures);
  if (!json.path.empty()) DF_TRY(json.WriteText(ToJson(outcome.figures)));
  return 0;
}

Command AsCommand(const Bench& bench) {
  return {bench.description, bench.example, [setup = bench.setup](Options& args) -> RunCommand {
            auto json = std::make_shared<OutputFile>(OutputFile{"--json", ""});
            args.Value("--json", json->path, "Write the figures to this file as JSON");
            args.Flag("--force", json->force, "Let --json replace a file that dfrun did not write");
            return [json, run = setup(args)] { return Report(run, *json); };
          }};
}

RunCommand SetupBench(Options& args) {
  std::map<std::string, Command> commands;
  for (const auto& [name, bench] : Benches()) commands.emplace(name, AsCommand(bench));
  auto chosen = std::make_shared<RunCommand>();
  AddCommands(args, commands, chosen.get());
  return [chosen] { return (*chosen)(); };
}

COMMAND("bench", kBenchDescription, kBenchExample, SetupBench);

}  // namespace

std::map<std::string, Bench>& Benches() {
  static std::map<std::string, Bench>& benches = *new std::map<std::string, Bench>();
  return benches;
}

}  // namespace dfrun::jobs
