// `dfrun check MODEL`: finds everything that can be wrong with a job before it runs, without MPI. For a graph it shows
// which ops are unknown here, and by which signatures the graph is called.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <numeric>
#include <set>

#include "jobs/command.h"
#include "jobs/commands/device_counts.h"
#include "jobs/commands/host_notes.h"
#include "jobs/commands/list_subgraphs.h"
#include "jobs/commands/stage_times.h"
#include "jobs/compile_job.h"
#include "jobs/model.h"
#include "jobs/place_by_spec.h"
#include "src/base/counted.h"
#include "src/base/printable.h"
#include "src/base/terminal.h"
#include "src/base/text.h"
#include "src/framework/device/device_factory.h"
#include "src/graph/graph_def/file_kind.h"
#include "src/graph/graph_def/unknown_ops.h"
#include "src/job/idle_ranks.h"
#include "src/job/init_plan.h"
#include "src/job/kept_spec.h"
#include "src/job/memory_estimate.h"
#include "src/job/parameter_sizes.h"
#include "src/job/recomputed_work.h"
#include "src/job/start_report.h"
#include "src/training/build_job_graph.h"
#include "src/training/warnings/spec_warnings.h"

namespace dfrun::jobs {
namespace {

struct CheckOptions {
  std::string spec;
  std::vector<std::string> sets;
  std::vector<std::string> tags;
  int ranks = 0;  // 0: as many as the tasks need
  DeviceCountOptions devices;
  bool explain_gpu = false;
  bool timings = false;
  bool print = false;
};

void Print(const std::string& path, int ranks, const LoadedSpec& spec, const std::vector<CompiledStep>& steps) {
  std::printf("%s: ok, %s", PrintableLine(path).c_str(), Counted(spec.graph.num_nodes(), "node").c_str());
  if (spec.other != nullptr) {
    std::printf(spec.training ? " in training, %d elsewhere" : " out of training, %d in it",
                spec.other->graph.num_nodes());
  }
  std::printf("\n");
  for (const CompiledStep& step : steps) {
    const int nodes = std::accumulate(step.partitions.begin(), step.partitions.end(), 0,
                                      [](int sum, const Partition& p) { return sum + p.graph.num_nodes(); });
    std::printf("  %s: %s in %s on %s\n", PrintableLine(step.name).c_str(), Counted(nodes, "node").c_str(),
                Counted(static_cast<int64_t>(step.partitions.size()), "partition").c_str(),
                Counted(ranks, "rank").c_str());
  }
  std::printf("%s", PrintTable(SizesOf(spec)).c_str());
}

// Returns the ranks that have no node of the main step, or of those of replicas that run for themselves.
std::string IdleRanks(const LoadedSpec& spec, const JobCompiler& compiler, int ranks,
                      const std::vector<CompiledStep>& steps) {
  std::set<int> idle;
  for (int rank = 0; rank < ranks; ++rank) idle.insert(rank);
  for (const CompiledStep& step : steps) {
    if (&step != &steps[0] && !step.name.starts_with("replica_")) continue;
    for (const Partition& partition : step.partitions) {
      if (partition.graph.num_nodes() > 0) idle.erase(partition.rank);
    }
  }
  const std::string text =
      DescribeIdleRanks(spec, compiler.cluster(), std::vector<int>(idle.begin(), idle.end()), compiler.is_placed());
  return text.empty() ? "" : StrCat("warning: ", text, "\n");
}

// Returns a forecast of the memory that the compiled steps need, and warnings where the spec gives devices less.
Result<std::string> Memory(const LoadedSpec& spec, const Cluster& cluster, const std::vector<CompiledStep>& steps) {
  const std::vector<DevicePart> parts = PartsOf(steps);
  DF_ASSIGN(const std::vector<std::string> warnings, CheckMemory(parts, spec.job.memory_limits, cluster));
  const std::vector<std::string> forecast = DescribeMemory(EstimateDevices(parts));
  const auto line = [](const std::string& text) { return StrCat("  ", PrintableLine(text), "\n"); };
  const auto warn = [](const std::string& warning) { return StrCat("warning: ", warning, "\n"); };
  return StrCat(Join(forecast, "", line), Join(warnings, "", warn));
}

// Returns the parts of the step, or of those of replicas that run for themselves.
std::vector<DevicePart> PartsOfMainStep(const std::vector<CompiledStep>& steps) {
  std::vector<DevicePart> parts;
  for (const CompiledStep& step : steps) {
    if (&step != &steps[0] && !step.name.starts_with("replica_")) continue;
    for (const Partition& partition : step.partitions) parts.push_back({&partition, step.runs_beside, step.plans});
  }
  return parts;
}

// Returns what recomputation saves and costs, by compiling the job without it too; "" where the spec asks for none.
Result<std::string> Recomputation(const LoadedSpec& spec, const std::vector<CompiledStep>& steps,
                                  JobCompiler& compiler) {
  if (!spec.job.train || spec.job.train->recompute == TrainSpec::Recompute::kNone) return std::string();
  LoadedSpec keeping{spec.job, spec.graph.Clone(), spec.values, spec.training};
  keeping.other = spec.other;
  keeping.job.train->recompute = TrainSpec::Recompute::kNone;
  DF_ASSIGN(const std::vector<CompiledStep> kept, compiler.CompileSpec(keeping));
  return StrCat("  ", PrintableLine(DescribeRecomputation(PartsOfMainStep(steps), PartsOfMainStep(kept))), "\n");
}

// Returns the types of devices, except the host's, that the job counts or has nodes on.
std::set<std::string> TypesWanted(const DeviceCounts& counts, const std::vector<CompiledStep>& steps) {
  std::set<std::string> types;
  for (const auto& [type, count] : counts) {
    if (count > 0) types.insert(type);
  }
  for (const CompiledStep& step : steps) {
    for (const Partition& partition : step.partitions) {
      const Result<DeviceName> name = DeviceName::Parse(partition.device);
      if (name.ok() && name->type) types.insert(*name->type);
    }
  }
  types.erase(std::string(HostDeviceType()));
  return types;
}

std::string Lines(const char* title, const std::vector<std::string>& lines) {
  return lines.empty() ? "" : StrCat("  ", title, ": ", PrintableLine(Join(lines)), "\n");
}

// Describes the signatures and other parts of a MetaGraph besides its nodes.
std::string Describe(const MetaGraph& meta) {
  std::vector<std::string> signatures;
  for (const auto& [name, signature] : meta.signatures) signatures.push_back(PrintSignature(name, signature));
  std::vector<std::string> runners;
  for (const QueueRunner& runner : meta.runners) runners.push_back(runner.queue);
  std::vector<std::string> variables;
  for (const ModelVariable& variable : meta.variables) variables.push_back(variable.variable);
  std::vector<std::string> init;
  if (!meta.init_op.empty()) init.push_back(meta.init_op);
  return StrCat(Lines("tags", meta.tags), Lines("signatures", signatures), Lines("variables", variables),
                Lines("queues filled by runners", runners), Lines("init op", init));
}

// Checks a graph. Unknown nodes are listed and are no error, because a graph runs if it does not need them.
Result<int> CheckGraph(const CheckOptions& options) {
  if (options.explain_gpu || options.timings || options.print) {
    return Error(Code::kUsage,
                 options.timings ? "--timings"
                 : options.print ? "--print"
                                 : "--explain-gpu",
                 ": ", options.spec, " is a graph, which is compiled when it runs; give a job's spec");
  }
  DF_ASSIGN(const Model model, LoadRunnable({options.spec, options.sets, options.tags, options.ranks}));
  std::printf("%s: ok, %s\n", PrintableLine(options.spec).c_str(), Counted(model.graph.num_nodes(), "node").c_str());
  if (model.meta) std::printf("%s", Describe(*model.meta).c_str());
  const std::string unknown = ListUnknown(model.graph);
  if (!unknown.empty())
    std::printf("not known here or impossible, and refused only where a run needs it:\n%s\n", unknown.c_str());
  return 0;
}

// Prints the spec as it is understood, and warnings to stderr, so that the output is a spec.
int PrintUnderstood(const LoadedSpec& spec, const std::string& memory) {
  std::fprintf(stderr, "%s", memory.c_str());
  for (const std::string& warning : WarningsOfSpec(spec)) {
    std::fprintf(stderr, "warning: %s\n", PrintableLine(warning).c_str());
  }
  WriteText(stdout, MarkedSpec(spec));
  return 0;
}

Result<int> Check(const CheckOptions& options) {
  const Result<FileIdentity> identity = IdentifyFile(options.spec);
  if (identity.ok() && !IsSpec(options.spec) && !identity->is_text) return CheckGraph(options);
  DF_ASSIGN(Model model, LoadSpecModel({options.spec,
                                        options.sets,
                                        options.tags,
                                        options.ranks,
                                        options.devices.Given(),
                                        ModelOptions::Form::kJob,
                                        {},
                                        options.print}));
  const int ranks = options.ranks > 0 ? options.ranks : model.RanksNeeded();
  Result<JobCompiler> compiler = JobCompiler::Create(model, ranks);
  DF_TRY(AsSpecError(options.spec, compiler.status()));
  const DeviceCounts counts = model.device_counts;
  const LoadedSpec spec = model.TakeSpec();
  DF_ASSIGN(const std::vector<std::string> placed, PlaceBySpec(spec, *compiler));
  const Result<std::vector<CompiledStep>> steps = compiler->CompileSpec(spec);
  DF_TRY(AsSpecError(options.spec, steps.status()));
  const Result<std::string> memory = Memory(spec, compiler->cluster(), *steps);
  DF_TRY(AsSpecError(options.spec, memory.status()));
  DF_ASSIGN(const std::string recomputation, Recomputation(spec, *steps, *compiler));
  if (options.print) return PrintUnderstood(spec, *memory);
  Print(options.spec, ranks, spec, *steps);
  std::printf("%s%s", memory->c_str(), recomputation.c_str());
  for (const std::string& line : placed) std::printf("  %s\n", PrintableLine(line).c_str());
  std::printf("%s", IdleRanks(spec, *compiler, ranks, *steps).c_str());
  if (spec.job.train && !HasEqualBits(*spec.job.train)) std::printf("  %s\n", WhyNoEqualBits(*spec.job.train).c_str());
  for (const std::string& warning : WarningsOfSpec(spec)) std::printf("warning: %s\n", PrintableLine(warning).c_str());
  if (spec.job.init_from) {
    DF_ASSIGN(const InitPlan plan, InitPlan::Make(spec.job, spec.graph, spec.other.get()));
    std::printf("%s", plan.Table(SIZE_MAX).c_str());
    DF_TRY(plan.CheckWhole());
  }
  std::printf("%s", HostNotes(TypesWanted(counts, *steps)).c_str());
  if (options.timings) std::fprintf(stderr, "%s", StageTimesTable(*steps).c_str());
  if (options.explain_gpu) {
    for (const CompiledStep& step : *steps) {
      DF_ASSIGN(const std::string subgraphs, ListSubgraphs(step.partitions));
      std::printf("%s:\n%s", PrintableLine(step.name).c_str(), subgraphs.c_str());
    }
  }
  return 0;
}

RunCommand SetupCheck(Options& args) {
  auto options = std::make_shared<CheckOptions>();
  args.Value("spec", options->spec, "The job's YAML file, or a graph").Required();
  args.Values("--set", options->sets, kSetHelp);
  args.Values("--tag", options->tags, "Of the graph to read from a SavedModel; default: its only one, or `serve`");
  args.Value("--ranks", options->ranks, "Ranks that the job will have; default: as many as it needs")
      .Between(1, 1 << 20);
  options->devices.Declare(args);
  args.Flag("--explain-gpu", options->explain_gpu,
            "Say what of each step GPUs launch as a whole, and which of their nodes they do not, and why");
  args.Flag(
      "--print", options->print,
      "Print the spec as it is understood: with what it includes, with defaults and --set, and the origin of each "
      "line");
  args.Flag("--timings", options->timings,
            "Print to stderr how many milliseconds each pass took for each step, and for all of them");
  return [options] { return Check(*options); };
}

COMMAND("check", "Compiles a job without running it; errors as file:line:column, exit code 65.",
        "dfrun check configs/digits_mlp.yaml --ranks 64", SetupCheck);

}  // namespace
}  // namespace dfrun::jobs
