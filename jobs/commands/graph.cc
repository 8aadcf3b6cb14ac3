// `dfrun graph MODEL`: shows a graph as it is written, or as the ranks get it.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "jobs/command.h"
#include "jobs/commands/device_counts.h"
#include "jobs/commands/frozen_graph.h"
#include "jobs/commands/list_subgraphs.h"
#include "jobs/compile_job.h"
#include "jobs/cost_file.h"
#include "jobs/eval/eval_variables.h"
#include "jobs/model.h"
#include "jobs/output_file.h"
#include "jobs/place_by_spec.h"
#include "src/base/terminal.h"
#include "src/base/text.h"
#include "src/costs/predict.h"
#include "src/graph/graph_def/dot.h"
#include "src/graph/graph_def/graph_def.h"
#include "src/graph/graph_def/text_dump.h"
#include "src/graph/graph_def/unknown_ops.h"
#include "src/graph/node_cost.h"
#include "src/passes/export/enter_constants.h"
#include "src/passes/export/portable.h"
#include "src/placement/assumed_cluster.h"
#include "src/spec/input_nodes.h"
#include "src/spec/schema/alternatives.h"
#include "src/training/build_job_graph.h"
#include "src/training/checks/strategy_checks.h"
#include "src/training/training_graph.h"

namespace dfrun::jobs {
namespace {

struct GraphOptions {
  std::string model;
  std::vector<std::string> sets;
  std::vector<std::string> tags;
  bool text = false;
  bool dot = false;
  bool pb = false;
  bool portable = false;
  bool frozen = false;
  std::string restore;
  std::vector<std::string> fetches;
  bool costs = false;
  std::string cost_file;
  std::optional<CostTable> times;  // contents of the cost file
  bool training = false;
  bool partitioned = false;
  bool explain_gpu = false;
  std::string after;  // stage of the compilation
  std::string part;   // a part of a job; empty: its main step
  int ranks = 0;      // 0: as many as the devices need
  DeviceCountOptions devices;
  std::string out;
  bool force = false;
};

std::string Title(const Partition& partition) {
  if (partition.device.empty()) return "the whole graph";
  return StrCat(partition.device, " (rank ", partition.rank, ")");
}

struct Partitioned {
  JobCompiler compiler;  // declared first, because the partitions hold memory of its device
  std::vector<Partition> partitions;
  std::vector<std::string> inputs;  // files from which the partitions were made
};

// The options for a model in a form, or in that of training where this is asked for.
ModelOptions ModelOf(const GraphOptions& options, ModelOptions::Form form) {
  if (options.training) form = ModelOptions::Form::kTraining;
  return {options.model, options.sets, options.tags, options.ranks, options.devices.Given(), form};
}

// Clears the layouts of datasets: the positions in this host's files are no part of a graph that is shown.
void ForgetLayouts(Graph& graph) {
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    AttrMap& attrs = graph.mutable_node(id).attrs;
    if (attrs.Has("layouts")) attrs.Set("layouts", "");
  }
}

// The step of this name; without a name the main step.
Result<size_t> FindPart(const std::vector<CompiledStep>& steps, const std::string& name) {
  const auto found =
      std::find_if(steps.begin(), steps.end(), [&](const CompiledStep& step) { return step.name == name; });
  if (name.empty()) return size_t{0};
  if (found != steps.end()) return static_cast<size_t>(found - steps.begin());
  return Error(Code::kUsage, "--part: the job has no part '", name, "'; its parts are ",
               Join(steps, ", ", [](const CompiledStep& step) { return step.name; }));
}

// Makes the partitions of a step of a spec, or of a whole GraphDef.
Result<Partitioned> MakePartitions(const GraphOptions& options) {
  if (!options.after.empty()) DF_TRY(CheckStage("--after", options.after));
  DF_ASSIGN(Model model, LoadRunnable(ModelOf(options, ModelOptions::Form::kJob)));
  if (model.job && model.job->run) DF_TRY(model.sections);
  ForgetLayouts(model.graph);
  std::vector<std::string> inputs = FilesOf(model);
  const int ranks = options.ranks > 0 ? options.ranks : model.RanksNeeded();
  DF_ASSIGN(JobCompiler compiler, JobCompiler::Create(model, ranks, options.after));
  if (model.job) {
    const LoadedSpec spec = model.TakeSpec();
    DF_TRY(PlaceBySpec(spec, compiler).status());
    Result<std::vector<CompiledStep>> compiled = compiler.CompileSpec(spec);
    DF_TRY(AsSpecError(options.model, compiled.status()));
    std::vector<CompiledStep> steps = *std::move(compiled);
    DF_ASSIGN(const size_t shown, FindPart(steps, options.part));
    return Partitioned{std::move(compiler), std::move(steps[shown].partitions), std::move(inputs)};
  }
  RunSignature all;
  all.targets = Sinks(model.graph);
  Result<CompiledStep> step = compiler.Compile("graph", model.graph, all);
  if (step.status().code() == Code::kInvalidArgument) {
    return Error(Code::kBadSpec, options.model, ": ", step.status().message());
  }
  DF_TRY(step.status());
  return Partitioned{std::move(compiler), std::move(step->partitions), std::move(inputs)};
}

std::string TextOf(const GraphOptions& options, const Graph& graph) {
  if (options.times) return DumpTimes(graph, *options.times);
  return options.costs ? DumpCosts(graph) : DumpText(graph);
}

std::string Text(const GraphOptions& options, const std::vector<Partition>& partitions) {
  std::string out;
  for (const Partition& p : partitions) out += StrCat("# ", Title(p), "\n", TextOf(options, p.graph));
  return out;
}

std::string Dot(const std::vector<Partition>& partitions) {
  std::vector<DotCluster> clusters;
  clusters.reserve(partitions.size());
  for (const Partition& p : partitions) clusters.push_back({Title(p), &p.graph});
  return DumpDot(clusters);
}

// Returns model.0.pb, model.1.pb, ... for model.pb.
std::string NumberedPath(const std::string& path, size_t number) {
  const size_t dot = path.rfind('.');
  const size_t slash = path.rfind('/');
  const bool has_extension = dot != std::string::npos && (slash == std::string::npos || dot > slash);
  const size_t at = has_extension ? dot : path.size();
  return StrCat(path.substr(0, at), ".", number, path.substr(at));
}

// Returns the checked file at `path`, whose content is made from `inputs`.
Result<OutputFile> OutputFor(const GraphOptions& options, const std::string& path, std::vector<std::string> inputs) {
  inputs.push_back(options.model);
  OutputFile file{"--out", path, options.force, std::move(inputs)};
  DF_TRY(file.Check());
  return file;
}

Status Write(const GraphOptions& options, std::vector<std::string> inputs, const std::string& text) {
  if (!options.out.empty()) {
    DF_ASSIGN(const OutputFile file, OutputFor(options, options.out, std::move(inputs)));
    return file.WriteText(MarkedText(options.dot ? "//" : "#", text));
  }
  WriteText(stdout, text);
  return Status();
}

// Tells on stderr the name of a node that usually is called `usual`, if the spec has a node of that name.
void SayName(const std::string& what, const std::string& usual, const std::string& name) {
  if (name == usual) return;
  WriteText(stderr, StrCat("dfrun: the spec has a node '", usual, "': the node that ", what, " is '", name, "'\n"));
}

// Other systems get the training that all of them know.
void SayStrategy(const TrainSpec& train) {
  const std::string usual = StrCat("'strategy: ", Strategies().fallback(), "'");
  const std::string name = WordsOf(train).name;
  if (name == usual) return;
  WriteText(stderr, StrCat("dfrun: the graph has the training of ", usual, ", not of ", name, "\n"));
}

constexpr const char* kDoesInit = "gives the variables their first values";

// Adds a node `init` that gives every variable of the spec its first value: GraphDef itself has no field for them.
Status AddInit(Graph& graph, const JobSpec& job) {
  DF_ASSIGN(FedStep initial, AddInitialValues(graph, job));
  if (initial.signature.targets.empty()) return Status();
  NodeSpec init;
  init.name = graph.UniqueName("init");
  init.op = "NoOp";
  init.control_inputs = std::move(initial.signature.targets);
  SayName(kDoesInit, "init", init.name);
  return graph.AddNode(std::move(init)).status();
}

// Lists unknown ops on stderr, so that programs can read the standard output.
void SayUnknown(const Graph& graph) {
  const std::string unknown = ListUnknown(graph);
  if (!unknown.empty()) std::fprintf(stderr, "dfrun: not known here:\n%s\n", unknown.c_str());
}

Status AskForPortable(const Graph& graph) {
  const Status status = CheckPortable(graph);
  if (status.ok()) return status;
  return Error(Code::kUsage, status.message(), "\nGive --portable to write them as TensorFlow's ops.");
}

// Returns the graph of a model for evaluations with the values of a checkpoint. Sets `inputs` as ForTensorFlow() does.
Result<Graph> Frozen(const GraphOptions& options, std::vector<std::string>* inputs) {
  DF_ASSIGN(Model model, LoadModel(ModelOf(options, ModelOptions::Form::kEvaluation)));
  ForgetLayouts(model.graph);
  *inputs = FilesOf(model);
  inputs->push_back(options.restore);
  if (model.job) DF_TRY(FreeBatchSizes(model.job->inputs, model.graph));  // the inputs are to be fed
  DF_ASSIGN(Graph graph, MakeFrozen(model, {options.restore, options.fetches, options.portable}));
  if (!options.portable) DF_TRY(AskForPortable(graph));
  DF_TRY(EnterConstants(graph));
  return graph;
}

// Returns the graph of a model as one that TensorFlow imports. Sets `inputs` to the files from which it was made.
Result<Graph> ForTensorFlow(const GraphOptions& options, std::vector<std::string>* inputs) {
  DF_ASSIGN(Model model, LoadModel(ModelOf(options, ModelOptions::Form::kJob)));
  ForgetLayouts(model.graph);
  *inputs = FilesOf(model);
  if (model.job) DF_TRY(FreeBatchSizes(model.job->inputs, model.graph));  // the inputs are to be fed
  if (model.job && model.job->train) {
    DF_ASSIGN(const Cluster cluster, AssumeCluster(model.tasks, model.RanksNeeded(), model.device_counts, model.graph));
    const LoadedSpec spec = model.TakeSpec();
    DF_ASSIGN(TrainingGraph made, MakeTrainingGraph(spec, cluster));
    SayStrategy(*spec.job.train);
    SayName("makes a step of training", "train", made.step);
    SayName(kDoesInit, "init", made.init);
    model.graph = std::move(made.graph);
  } else if (model.job) {
    DF_TRY(AddInit(model.graph, *model.job));
  }
  if (options.portable) {
    DF_ASSIGN(model.graph, MakePortable(model.graph));
  } else {
    DF_TRY(AskForPortable(model.graph));
  }
  DF_TRY(EnterConstants(model.graph));
  return std::move(model.graph);
}

Status WriteWhole(const GraphOptions& options) {
  std::vector<std::string> inputs;
  const Result<Graph> graph = options.frozen ? Frozen(options, &inputs) : ForTensorFlow(options, &inputs);
  DF_TRY(graph.status());
  DF_ASSIGN(const OutputFile file, OutputFor(options, options.out, std::move(inputs)));
  return file.WriteText(MarkedGraphDef(*graph, options.out));
}

Status WritePb(const GraphOptions& options) {
  if (options.out.empty()) {
    return Error(Code::kUsage, "--pb needs --out FILE (.pb for binary, .pbtxt for text)");
  }
  if (!options.partitioned && options.after.empty()) return WriteWhole(options);
  DF_ASSIGN(const Partitioned made, MakePartitions(options));
  std::vector<OutputFile> files;
  for (size_t i = 0; i < made.partitions.size(); ++i) {
    DF_ASSIGN(OutputFile file, OutputFor(options, NumberedPath(options.out, i), made.inputs));
    files.push_back(std::move(file));
  }
  for (size_t i = 0; i < files.size(); ++i) {
    DF_TRY(files[i].WriteText(MarkedGraphDef(made.partitions[i].graph, files[i].path)));
    std::printf("%s: %s\n", files[i].path.c_str(), Title(made.partitions[i]).c_str());
  }
  return Status();
}

Result<int> Show(GraphOptions& options) {
  if (!options.cost_file.empty()) {
    DF_ASSIGN(options.times, ReadCostFile(options.cost_file));
  }
  if (options.pb) {
    DF_TRY(WritePb(options));
  } else if (options.explain_gpu) {
    DF_ASSIGN(const Partitioned made, MakePartitions(options));
    DF_ASSIGN(const std::string subgraphs, ListSubgraphs(made.partitions));
    DF_TRY(Write(options, made.inputs, subgraphs));
  } else if (options.partitioned || !options.after.empty()) {
    DF_ASSIGN(const Partitioned made, MakePartitions(options));
    DF_TRY(Write(options, made.inputs, options.dot ? Dot(made.partitions) : Text(options, made.partitions)));
  } else {
    DF_ASSIGN(Model model, LoadModel(ModelOf(options, ModelOptions::Form::kEvaluation)));
    ForgetLayouts(model.graph);
    SayUnknown(model.graph);
    DF_TRY(Write(options, FilesOf(model), options.dot ? DumpDot(model.graph) : TextOf(options, model.graph)));
  }
  return 0;
}

RunCommand SetupGraph(Options& args) {
  auto options = std::make_shared<GraphOptions>();
  args.Value("model", options->model, "A spec, a GraphDef, a MetaGraph, a SavedModel or its directory").Required();
  args.Values("--set", options->sets, kSetHelp);
  args.Values("--tag", options->tags, "Of the graph to read from a SavedModel; default: its only one, or `serve`");
  const Option text = args.Flag("--text", options->text, "A line a node (the default)");
  const Option dot = args.Flag("--dot", options->dot, "For Graphviz");
  const Option pb =
      args.Flag("--pb", options->pb,
                "As GraphDef, which TensorFlow imports; a spec's has nodes `init` and, where it trains, `train`: other "
                "names, which are said, where the spec has nodes of these");
  const Option portable =
      args.Flag("--portable", options->portable, "With --pb: ops of dfrun's own as those of TensorFlow").Needs(pb);
  const Option frozen = args.Flag("--frozen", options->frozen,
                                  "With --pb and --restore: the variables as constants, for a program that serves the "
                                  "model; the graph is that of evaluations, and the inputs are fed")
                            .Needs(pb);
  const Option restore = args.Value("--restore", options->restore,
                                    "With --frozen: the values of this checkpoint, or of the newest one of this run "
                                    "directory")
                             .Needs(frozen);
  frozen.Needs(restore);
  args.Values("--fetch", options->fetches,
              "With --frozen: NAME[:port] of what the graph gives, with all that it needs; default: all that the model "
              "computes")
      .Needs(frozen);
  const Option costs = args.Flag("--costs", options->costs,
                                 "A line a node: operations, bytes read and bytes written, where its shapes are known");
  args.Value("--cost-file", options->cost_file,
             "With --costs: the microseconds that each node is expected to take, by this file of `dfrun bench node`")
      .Needs(costs);
  text.Excludes(dot).Excludes(pb).Excludes(costs);
  dot.Excludes(pb).Excludes(costs);
  pb.Excludes(costs);
  args.Flag("--training", options->training,
            "A spec's graph as for a step of training, `training` being true; default: as for evaluations, but for "
            "--pb and the main step of a spec with `train:`");
  const Option partitioned =
      args.Flag("--partitioned", options->partitioned,
                "The parts that the devices get in the main step: pruned, optimised, placed, joined by Send and Recv");
  const Option after = args.Value(
      "--after", options->after,
      "The graph of the main step after this pass, whole or by device; an unknown name lists those that there are");
  args.Value("--part", options->part,
             "The part of a job that --partitioned and --after show, as init or replica_1; default: the main step");
  after.Excludes(portable).Excludes(frozen);
  partitioned.Excludes(frozen);
  const Option explain_gpu =
      args.Flag("--explain-gpu", options->explain_gpu,
                "What of the main step GPUs launch as a whole, and which of their nodes they do not, and why");
  explain_gpu.Excludes(text).Excludes(dot).Excludes(pb).Excludes(costs).Excludes(after);
  args.Value("--ranks", options->ranks, "Ranks to partition for; default: as many as there are tasks")
      .Between(1, 1 << 20);
  options->devices.Declare(args);
  args.Value("--out", options->out, "File to write to; default: the standard output");
  args.Flag("--force", options->force, "Let --out replace a file that dfrun did not write");
  return [options] { return Show(*options); };
}

COMMAND("graph", "Shows the graph of a spec or GraphDef, whole or partitioned.",
        "dfrun graph configs/figure1.yaml --dot --partitioned --ranks 2 --out figure1.dot", SetupGraph);

}  // namespace
}  // namespace dfrun::jobs
