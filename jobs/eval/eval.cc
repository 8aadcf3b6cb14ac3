// `dfrun eval MODEL`: runs parts of a graph, with feeds from HDF5 files and fetches into one.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "jobs/command.h"
#include "jobs/compile_job.h"
#include "jobs/eval/eval_request.h"
#include "jobs/eval/eval_runners.h"
#include "jobs/eval/eval_steps.h"
#include "jobs/eval/eval_variables.h"
#include "jobs/eval/output_arrays.h"
#include "jobs/file_rules.h"
#include "jobs/json.h"
#include "jobs/model.h"
#include "jobs/ranks/ranks.h"
#include "src/base/json/log_line.h"
#include "src/base/printable.h"
#include "src/base/stop_request.h"
#include "src/graph/node_arithmetic.h"
#include "src/graph/order/variable_reads.h"
#include "src/job/find_checkpoint.h"
#include "src/job/kept_arrays.h"
#include "src/job/numerics_finding.h"
#include "src/job/run_evaluation.h"
#include "src/session/queue_runners.h"
#include "src/session/session.h"
#include "src/session/trace/chrome_trace.h"
#include "src/training/build_job_graph.h"
#include "src/training/checks/queue_liveness_check.h"
#include "src/training/spec_evaluation.h"
#include "src/training/warnings/evaluation_effects.h"

namespace dfrun::jobs {
namespace {

// Time for a step to end after a signal; its results are dropped.
constexpr int64_t kGraceS = 2;
constexpr const char* kTracePrefix = "trace/";

struct EvalOptions {
  std::string model;
  std::vector<std::string> sets;
  std::vector<std::string> tags;
  std::string signature;
  std::string evaluation;
  std::vector<std::string> feeds;
  std::vector<std::string> assigns;
  std::vector<std::string> runners;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  std::vector<std::string> inits;
  std::vector<std::string> finals;
  int64_t repeat = 1;
  bool training = false;
  std::string restore;
  std::vector<std::string> allow_paths;
  RankOptions ranks;
  bool optimize = true;
  std::vector<std::string> without_passes;
  bool soft_placement = false;
  bool check_numerics = false;
  std::string out;
  std::string stats;
  int64_t trace_steps = 0;
  bool force = false;
};

void Say(const std::string& text) {
  WriteLine(stderr, LogLevel::kInfo, "dfrun: ", text);
}

// Runs the steps of one command, on rank 0.
class Evaluation {
 public:
  Evaluation(const EvalOptions& options, Runtime& runtime)
      : options_(options), runtime_(runtime), kept_(options.out.empty() ? KeptArrays::kShown : KeptArrays::kAll) {
    plan_.repeat = options.repeat;
    plan_.trace_steps = options.trace_steps;
    plan_.trace_prefix = kTracePrefix;
  }

  Status Run() {
    DF_TRY(CheckOutputs(CommandLineInputs()));
    DF_TRY(CheckWithoutPass(options_.without_passes));
    DF_ASSIGN(Model model, LoadRunnable(ModelWanted()));
    for (const std::string& line : model.mode_feeds) Say(line);
    DF_TRY(CheckRanks(model));
    DF_TRY(CheckOutputs(FilesOf(model)));
    DF_TRY(ChooseSignature(options_.signature, model));
    DF_TRY(ChooseOneEvaluation(options_.model, options_.evaluation, model));
    if (model.meta) values_ = model.meta->values;
    DF_TRY(Resolve(model));
    if (!model.job) DF_TRY(ReadVariablesAtUse(model.graph, plan_.step.feeds));
    DF_TRY(CheckFed(model, options_.model, plan_.step));
    DF_ASSIGN(runners_, PlanRunners(model, options_.runners, plan_.step));
    plan_.may_end_early = !runners_.empty();
    DF_TRY(AddVariableSteps(model));
    DF_TRY(CheckQueues(model.graph));
    SessionOptions session_options;
    session_options.jobs = model.tasks;
    session_options.optimize = options_.optimize && !options_.check_numerics;
    session_options.check_numerics = options_.check_numerics;
    session_options.without_passes = options_.without_passes;
    session_options.soft_placement = options_.soft_placement;
    session_options.files = Files();
    if (model.job) {
      session_options.memory_limits = model.job->memory_limits;
      session_options.soft_placement = options_.soft_placement || model.job->soft_placement;
      SetArithmetic(model.job->arithmetic, model.graph);
    }
    if (model.job) spec_inputs_ = model.job->inputs;
    DF_ASSIGN(session_, Session::Create(runtime_, std::move(model.graph), session_options));
    DF_TRY(WithPlace(RunAll()));
    DF_TRY(CheckStop());
    DF_TRY(Report());
    return session_->Close();
  }

 private:
  ModelOptions ModelWanted() const {
    ModelOptions wanted{options_.model, options_.sets, options_.tags, runtime_.size()};
    if (options_.training) wanted.form = ModelOptions::Form::kTraining;
    wanted.feeds = options_.feeds;
    return wanted;
  }

  // Returns the rules for files. The user permits the files that the command line names.
  FileRules Files() const {
    FileRules rules = RulesOfModel(options_.model, options_.allow_paths);
    AllowSets(options_.sets, rules);
    for (const std::string& feed : options_.feeds) AllowDirectoryOfFeed(feed, rules);
    for (const std::string& assign : options_.assigns) AllowDirectoryOfFeed(assign, rules);
    for (const std::string& path : {RunOfCheckpointName(options_.restore), options_.out, options_.stats})
      AllowDirectoryOf(path, rules);
    for (const std::string& path : {std::string("."), options_.out}) AllowWritingBeside(path, rules);
    rules.may_replace = options_.force;
    return rules;
  }

  std::vector<std::string> CommandLineInputs() const {
    std::vector<std::string> inputs = {options_.model, RunOfCheckpointName(options_.restore)};
    for (const auto* texts : {&options_.feeds, &options_.assigns}) {
      for (const std::string& text : *texts) inputs.push_back(FileOfFeed(text));
    }
    return inputs;
  }

  // Checks that no file to be written is one of `inputs` or another file that may not be replaced. Keeps `inputs` for
  // later checks of the command.
  Status CheckOutputs(std::vector<std::string> inputs) {
    if (!options_.out.empty() && options_.out == options_.stats) {
      return Error(Code::kUsage, "--out and --stats are the same file ", options_.out);
    }
    inputs_.insert(inputs_.end(), std::make_move_iterator(inputs.begin()), std::make_move_iterator(inputs.end()));
    DF_TRY(Output("--out", options_.out).Check());
    DF_TRY(Output("--stats", options_.stats).Check());
    for (int rank = 0; options_.trace_steps > 0 && rank < runtime_.size(); ++rank) {
      const std::string path = TracePath(kTracePrefix, rank);
      std::error_code error;
      if (std::filesystem::exists(path, error)) DF_TRY(Output("--trace", path).Check());
    }
    return Status();
  }

  OutputFile Output(const char* flag, const std::string& path) const { return {flag, path, options_.force, inputs_}; }

  // Checks the number of ranks. A graph's devices say how many there must be; a spec is placed on the ranks there are.
  Status CheckRanks(const Model& model) const {
    const int needed = model.RanksNeeded();
    if (model.job || options_.soft_placement || needed <= runtime_.size()) return Status();
    return Error(Code::kUsage, "the devices in ", options_.model, " are of ", needed, " ranks, but there ",
                 runtime_.size() == 1 ? "is " : "are ", runtime_.size(), ": run it with mpirun -np ", needed);
  }

  // Resolves the feeds and fetches. They come from the command line, or else from the evaluation or the run that the
  // spec describes, or else from all outputs of the signature. A spec's own feeds hold unless the command line feeds
  // the same outputs.
  Status Resolve(Model& model) {
    DF_TRY(CheckFetchNames(options_.fetches));
    DF_ASSIGN(const std::vector<Feed> feeds, ReadFeeds(model, options_.feeds, options_.allow_paths));
    std::vector<FedOutput> fed;
    fed.reserve(feeds.size());
    for (const Feed& feed : feeds) fed.push_back({feed.output, feed.source});
    DF_ASSIGN(SpecEvaluation wanted, WantedOf(model));
    DF_TRY(WarnOfTraining(model, feeds, fed, wanted));
    if (model.job) DF_TRY(AsSpecError(options_.model, AddPasses(fed, wanted, model)));
    if (!plan_.pass) DF_TRY(ResolveStep(fed, wanted, model));
    for (const Feed& feed : feeds) {
      if (!feed.source.valid()) plan_.AddFeed(feed.output, feed.value);
    }
    DF_ASSIGN(inits_, ResolveNodes(model.graph, "--init", options_.inits));
    DF_ASSIGN(finals_, ResolveNodes(model.graph, "--finally", options_.finals));
    return Status();
  }

  // Warns once if values are measured with the effects of training mode. Targets are run for their effects and are not
  // warned of.
  Status WarnOfTraining(const Model& model, const std::vector<Feed>& feeds, const std::vector<FedOutput>& fed,
                        const SpecEvaluation& wanted) const {
    if (options_.training || (model.job ? !model.job->train : !options_.targets.empty())) return Status();
    MeasuredValues measured{.fetches = wanted.fetches, .asks_for_nodes = !options_.fetches.empty()};
    for (const Feed& feed : feeds) {
      if (!feed.source.valid()) measured.fed.emplace_back(feed.output, feed.value);
    }
    return WarnOfEffects(model, fed, std::move(measured));
  }

  bool AsksForNothing() const { return options_.fetches.empty() && options_.targets.empty(); }

  // Makes a pass if a spec's inputs are read: a step is then a batch of the pass, at a position that is fed to it.
  Status AddPasses(const std::vector<FedOutput>& feeds, const SpecEvaluation& wanted, Model& model) {
    const JobSpec& job = *model.job;
    if (AsksForNothing()) {
      DF_ASSIGN(plan_.pass, AddWholeEvaluation(job, feeds, model.graph));
      plan_.is_evaluation = plan_.pass.has_value();
    }
    if (!plan_.pass) {
      DF_ASSIGN(plan_.pass, AddWholeFetch(job, feeds, wanted, model.graph));
    }
    if (!plan_.pass) return Status();
    plan_.names = plan_.is_evaluation ? MetricNames(*plan_.pass) : plan_.pass->batch.names;
    plan_.step = plan_.pass->batch.signature;
    const EvalSpec* const eval = OnlyEvaluation(job);
    plan_.steps_in_flight = eval == nullptr || options_.check_numerics ? 1 : eval->steps_in_flight;
    return Status();
  }

  Status ResolveStep(const std::vector<FedOutput>& feeds, SpecEvaluation wanted, Model& model) {
    if (model.job) DF_TRY(ApplyFeeds(*model.job, feeds, model.graph, wanted));
    plan_.names = std::move(wanted.names);
    plan_.step.fetches = std::move(wanted.fetches);
    plan_.step.targets = std::move(wanted.targets);
    return Status();
  }

  Result<SpecEvaluation> WantedOf(Model& model) const {
    SpecEvaluation wanted;
    wanted.names = options_.fetches;
    DF_ASSIGN(wanted.fetches, ResolveFetches(model, wanted.names));
    DF_ASSIGN(wanted.targets, ResolveNodes(model.graph, "--target", options_.targets));
    if (!wanted.names.empty() || !wanted.targets.empty()) return wanted;
    if (model.job && model.job->evals.empty() && !model.job->run) {
      return Error(Code::kUsage, "the spec has neither `eval:` nor `run:`: give --fetch NAME or --target NODE");
    }
    if (model.job) DF_TRY(model.sections);  // names that this form of the model lacks
    if (model.job) return EvaluationOf(*model.job, model.graph);
    if (model.signature.empty()) {
      const std::string signatures = ListSignatures(model);
      return Error(Code::kUsage, "there is nothing to evaluate: give --fetch NAME or --target NODE",
                   signatures.empty() ? "" : StrCat(", or --signature with one of:", signatures));
    }
    for (const SignatureTensor& output : model.meta->signatures.at(model.signature).outputs) {
      wanted.names.push_back(output.key);
    }
    DF_ASSIGN(wanted.fetches, ResolveFetches(model, wanted.names));
    return wanted;
  }

  // Adds the steps that give the variables their values, in the order of TensorFlow's loader of SavedModels: initial
  // values, saved values, values that the command line assigns, and last the init op, which needs them.
  Status AddVariableSteps(Model& model) {
    DF_ASSIGN(const std::vector<Assignment> assigned,
              ReadAssignments(model.graph, options_.assigns, options_.allow_paths));
    DF_ASSIGN(const std::vector<std::string> wanted, VariablesOf(model.graph, RunsOfSteps()));
    if (model.job) {
      DF_ASSIGN(FedStep initial, AddInitialValues(model.graph, *model.job));
      before_.push_back(std::move(initial));
      if (model.job->init_from && options_.restore.empty() && inits_.empty()) {
        DF_ASSIGN(const auto first, ReadInitFrom(model, wanted));
        FedStep taken;
        for (const auto& [variable, value] : first) DF_TRY(AddAssigned(model.graph, variable, value, taken));
        before_.push_back(std::move(taken));
      }
    }
    if (model.meta && inits_.empty()) DF_TRY(AddModelInits(model, wanted));
    for (NodeId init : inits_) before_.push_back(StepOf({init}));
    for (NodeId last : finals_) after_.push_back(StepOf({last}));
    if (!options_.restore.empty()) {
      DF_ASSIGN(const std::string directory, FindCheckpoint("--restore", options_.restore));
      const bool all = (before_.empty() && assigned.empty()) || (model.job && inits_.empty());
      DF_ASSIGN(FedStep saved, AddSavedValues(model, directory, RunsOfSteps(), wanted, all));
      before_.push_back(std::move(saved));
    }
    FedStep given;
    for (const Assignment& a : assigned) DF_TRY(AddAssigned(model.graph, a.variable, a.value, given));
    before_.push_back(std::move(given));
    if (model.meta && !model.meta->init_op.empty()) DF_TRY(AddInitOp(model));
    SayInitial(model, wanted, assigned);
    return Status();
  }

  // Returns the runs of the steps and of the runners that fill queues beside them.
  std::vector<const RunSignature*> RunsOfSteps() const {
    std::vector<const RunSignature*> runs;
    for (const StepPlan::Counted& counted : plan_.Runs()) runs.push_back(counted.run);
    for (const PlannedRunner& runner : runners_) {
      for (const RunSignature& run : runner.enqueue) runs.push_back(&run);
    }
    return runs;
  }

  // Adds the initial values of the variables, and the contents of the tables, that the steps use, as far as the
  // MetaGraph names the ops that make them.
  Status AddModelInits(const Model& model, const std::vector<std::string>& wanted) {
    FedStep variables = StepOf({});
    for (const ModelVariable& variable : model.meta->variables) {
      const NodeId initializer = model.graph.Find(variable.initializer);
      const bool is_wanted = std::find(wanted.begin(), wanted.end(), variable.variable) != wanted.end();
      if (initializer >= 0 && is_wanted) variables.signature.targets.push_back(initializer);
    }
    before_.push_back(std::move(variables));
    FedStep tables = StepOf({});
    for (const RunSignature* run : RunsOfSteps()) {
      DF_ASSIGN(const Graph needed, PruneForRun(model.graph, *run));
      for (const std::string& name : model.meta->table_inits) {
        const NodeId init = model.graph.Find(name);
        if (init < 0 || model.graph.node(init).num_inputs() == 0) continue;
        const Node& table = model.graph.node(model.graph.node(init).inputs[0].node);
        if (needed.Find(table.name) >= 0) tables.signature.targets.push_back(init);
      }
    }
    before_.push_back(std::move(tables));
    return Status();
  }

  // Adds the init op. It is left out, with a message, if it needs ops that are unknown here; a step that depends on it
  // then reports what it misses.
  Status AddInitOp(const Model& model) {
    const NodeId init = model.graph.Find(model.meta->init_op);
    if (init < 0)
      return Error(Code::kBadSpec, options_.model, ": its init op '", model.meta->init_op, "' is not there");
    FedStep step = StepOf({init});
    const Status known = PruneForRun(model.graph, step.signature).status();
    if (!known.ok()) {
      const std::string text = StrCat("the init op '", model.meta->init_op, "' is not run: ", known.message());
      Say(text);
      return Status();
    }
    before_.push_back(std::move(step));
    return Status();
  }

  // Says once that the variables have their initial values and not those of a training.
  void SayInitial(const Model& model, const std::vector<std::string>& wanted,
                  const std::vector<Assignment>& assigned) const {
    if (!options_.restore.empty() || !assigned.empty() || !inits_.empty()) return;
    if (model.job && model.job->init_from) return;
    std::set<std::string> begun;  // variables that get an initial value here
    if (model.job) {
      for (const VariableSpec& variable : model.job->variables) begun.insert(model.graph.node(variable.node).name);
      for (const InputSpec& input : model.job->inputs) begun.erase(model.graph.node(input.position).name);
    } else if (model.meta) {
      for (const ModelVariable& variable : model.meta->variables) begun.insert(variable.variable);
    }
    if (std::none_of(wanted.begin(), wanted.end(), [&](const std::string& name) { return begun.contains(name); }))
      return;
    const std::string others = values_.empty() ? ""
                                               : StrCat(", --assign those of an HDF5 file (", values_,
                                                        " is of TensorFlow's format, which is not read)");
    Say("the variables have their initial values; --restore gives those of a checkpoint or of a run's newest one" +
        others);
  }

  // Returns an error for queues for which a step would wait for ever.
  Status CheckQueues(const Graph& graph) const {
    if (!runners_.empty() && runtime_.size() > 1) {
      return Error(Code::kUsage, "queue runners run beside the steps of one rank, and there are ", runtime_.size());
    }
    std::vector<CountedRun> counted;
    for (const FedStep& step : before_) counted.push_back({&step.signature, 1});
    for (const StepPlan::Counted& step : plan_.Runs()) counted.push_back({step.run, step.times});
    for (const FedStep& step : after_) counted.push_back({&step.signature, 1});
    std::vector<const RunSignature*> runs = RunsOfSteps();
    for (const CountedRun& run : counted) runs.push_back(run.run);
    Status status = CheckQueuesServed(graph, runs, "name what does so by --runner OP, which runs beside the steps");
    if (status.ok()) status = CheckQueueBalance(graph, counted, QueuesOf(graph, runners_));
    return AsFileError(options_.model, status);
  }

  // Returns a step of these nodes, with everything that is fed.
  FedStep StepOf(std::vector<NodeId> nodes) const {
    RunSignature signature;
    signature.feeds = plan_.step.feeds;
    signature.feed_shapes = plan_.step.feed_shapes;
    signature.targets = std::move(nodes);
    return {std::move(signature), FeedsOfOthers()};
  }

  Status RunAll() {
    DF_TRY(RunOnce(before_));
    DF_TRY(RunFilled());
    return RunOnce(after_);
  }

  // Says where in the spec the node of a finding of --check-numerics is.
  Status WithPlace(const Status& error) const {
    if (!IsNumericsFinding(error)) return error;
    return Error(error.code(), LocationOfFinding(session_->graph(), error), DescribeFinding(spec_inputs_, error));
  }

  Status RunOnce(const std::vector<FedStep>& steps) {
    for (const FedStep& step : steps) {
      if (step.signature.targets.empty()) continue;
      DF_ASSIGN(const Session::Handle handle, Prepare(step.signature));
      DF_TRY(CheckStop());
      DF_TRY(Explain(session_->RunStep(handle, step.feeds, {})));
    }
    return Status();
  }

  Result<Session::Handle> Prepare(const RunSignature& signature) {
    Result<Session::Handle> handle = session_->Prepare(signature);
    DF_TRY(AsFileError(options_.model, handle.status()));
    return handle;
  }

  // Adds to an error about variables without values what a user of a graph can do.
  Status Explain(const Status& status) const {
    const std::string& text = status.message();
    const bool lacks_value =
        text.find("uninitialized value") != std::string::npos || text.find("has no value yet") != std::string::npos;
    if (status.code() != Code::kFailedPrecondition || !lacks_value) return status;
    return Error(
        status.code(), text,
        "\nA variable gets its value by --restore CHECKPOINT, by --assign NAME=FILE.h5:/path, or by --init NODE of a "
        "node that assigns it",
        values_.empty() ? "." : StrCat("; those in ", values_, " are in TensorFlow's format, which is not read."));
  }

  // Runs the steps, while the runners fill the queues.
  Status RunFilled() {
    std::vector<PreparedRunner> prepared;
    for (const PlannedRunner& runner : runners_) {
      Result<PreparedRunner> one = PrepareRunner(runner, *session_);
      DF_TRY(AsFileError(options_.model, one.status()));
      prepared.push_back(*std::move(one));
    }
    QueueRunners running(*session_, std::move(prepared), FeedsOfOthers());
    running.Start();
    Status status = RunPlan();
    const Status filled = running.failure();  // reported first: the steps then lack what the runner did not enqueue
    running.Stop();
    DF_TRY(filled.Annotate("a queue runner"));
    return status;
  }

  // Returns the feeds of steps other than the plan's, which have no position.
  std::vector<Tensor> FeedsOfOthers() const {
    std::vector<Tensor> feeds = plan_.feeds;
    if (plan_.feeds_position()) feeds.insert(feeds.begin(), Tensor::Scalar<int64_t>(0));
    return feeds;
  }

  // Returns the error of a signal that came between two steps.
  Status CheckStop() const {
    const int signal = runtime_.stop_signal();
    if (signal == 0) [[likely]]
      return Status();
    return Error(StopCode(signal, /*saves=*/false), "ended by ", SignalName(signal));
  }

  Status RunPlan() {
    const StepHost host{*session_, [this](const RunSignature& run) { return Prepare(run); },
                        [this] { return CheckStop(); }};
    out_.emplace(Output("--out", options_.out));
    ArrayStore& store = IsWrittenAsItComes() ? static_cast<ArrayStore&>(*out_) : kept_;
    DF_TRY(Explain(RunSteps(plan_, host, store, stats_)));
    stats_.peak_bytes = runtime_.cpu().allocator().Stats().peak_bytes_in_use;
    for (const auto& device : runtime_.devices()) stats_.memory.push_back(MemoryOf(*device));
    return Status();
  }

  // Returns whether values are written as they come. Otherwise they are kept, to be printed, or because queues may end
  // before the last step.
  bool IsWrittenAsItComes() const { return !options_.out.empty() && !plan_.may_end_early; }

  Status Report() {
    if (!options_.stats.empty()) DF_TRY(Output("--stats", options_.stats).WriteText(stats_.ToJson()));
    if (IsWrittenAsItComes()) return out_->End();
    DF_TRY(kept_.End());
    if (!options_.out.empty()) return WriteKept();
    for (size_t i = 0; i < plan_.names.size(); ++i) {
      if (LogsAsJson()) {
        WriteLine(stdout, LogLevel::kInfo, "", StrCat(plan_.names[i], ": ", kept_.Text(i)));
        continue;
      }
      std::printf("%s: %s\n", PrintableLine(plan_.names[i]).c_str(), kept_.Text(i).c_str());
    }
    return Status();
  }

  Status WriteKept() {
    std::vector<ArrayInfo> arrays;
    for (size_t i = 0; i < plan_.names.size(); ++i) {
      arrays.push_back({plan_.names[i], kept_.values()[i].dtype(), kept_.values()[i].shape()});
    }
    DF_TRY(out_->Begin(arrays));
    for (size_t i = 0; i < arrays.size(); ++i) DF_TRY(out_->Append(i, kept_.values()[i]));
    return out_->End();
  }

  const EvalOptions& options_;
  Runtime& runtime_;
  std::vector<std::string> inputs_;     // files and directories that the command reads
  std::vector<InputSpec> spec_inputs_;  // inputs of a spec
  StepPlan plan_;
  std::vector<NodeId> inits_;
  std::vector<NodeId> finals_;
  std::vector<FedStep> before_;  // steps that give variables their values
  std::vector<FedStep> after_;
  std::vector<PlannedRunner> runners_;
  std::string values_;  // file in which TensorFlow keeps the variables' values; empty: none
  std::unique_ptr<Session> session_;
  std::optional<OutputArrays> out_;
  KeptArrays kept_;
  EvalStats stats_;
};

void AddModelOptions(Options& args, EvalOptions& options) {
  args.Value("model", options.model, "A GraphDef, a MetaGraph, a SavedModel or its directory, or a spec").Required();
  args.Values("--set", options.sets, kSetHelp);
  args.Values("--tag", options.tags, "Of the graph to read from a SavedModel; default: its only one, or `serve`");
  args.Value("--signature", options.signature,
             "Feed and fetch by the names of this signature; default: serving_default, or the only one");
  args.Value("--evaluation", options.evaluation, "The evaluation of the spec, where it has several with names");
  args.Values("--feed", options.feeds,
              "NAME[:port]=FILE.h5:/path: feed this dataset; or NAME=0.5, NAME=[1, 2]: this value; of a spec also "
              "INPUT=INPUT: this input's samples");
  args.Values("--fetch", options.fetches,
              "NAME[:port]: fetch this output; default: the spec's own metrics, all that the signature gives");
  args.Values("--target", options.targets, "Run this node for its effect");
  args.Values("--init", options.inits, "Run this node once before the first step, with the same feeds");
  args.Values("--finally", options.finals, "Run this node once after the last step, with the same feeds");
  args.Value(
      "--restore", options.restore,
      "Give the variables their values in this checkpoint, or in the newest one of this run directory; RUN@best and "
      "RUN@100: in that of its best step, or of step 100");
  args.Flag("--training", options.training, "Build a spec's model as for a step of training: `training` is true");
  args.Values("--assign", options.assigns, "NAME=FILE.h5:/path or NAME=0.5: give this variable this value");
  args.Values("--runner", options.runners,
              "Run this enqueue op again and again beside the steps, until it has no more; those of a MetaGraph run "
              "unasked");
}

void AddRunOptions(Options& args, EvalOptions& options) {
  args.Value("--repeat", options.repeat,
             "Run the step, or the pass over the samples of a spec's inputs, K times; fetches are stacked along a new "
             "first axis")
      .Between(1, 100'000'000);
  DeclareRankOptions(args, options.ranks);
  DeclareStall(args, options.ranks);
  DeclareLogJson(args, options.ranks);
  args.Flag("--no-optimize{false}", options.optimize, "Skip the graph passes but for pruning");
  AddWithoutPass(args, options.without_passes);
  args.Flag("--no-straight-loops{false}", options.ranks.loop_programs,
            "Run every loop by frames and iterations, for comparison; the results are the same");
  args.Flag("--check-numerics", options.check_numerics,
            "Look at each value of each step, and end at the first node that makes NaN or infinity");
  args.Flag("--soft-placement", options.soft_placement,
            "Nodes whose device is not there go where they may; else that is an error");
  AddAllowPaths(args, options.allow_paths);
  args.Value("--out", options.out, "HDF5 file for the fetches; default: they are printed");
  args.Value("--stats", options.stats, "JSON file for step times, node count and memory");
  args.Flag(
      "--force", options.force,
      "Let --out, --stats and --trace replace files that dfrun did not write, and ops those that were there before");
  args.Value("--trace", options.trace_steps, "Write trace/rank-<rank>.json, a Chrome trace of the first STEPS steps")
      .AtLeast(0);
}

RunCommand SetupEval(Options& args) {
  auto options = std::make_shared<EvalOptions>();
  options->ranks.grace_s = kGraceS;
  AddModelOptions(args, *options);
  AddRunOptions(args, *options);
  return [options]() -> Result<int> {
    return RunMasterOrWorker(options->ranks, [&](Runtime& runtime) { return Evaluation(*options, runtime).Run(); });
  };
}

COMMAND("eval", "Runs a graph: feeds from HDF5 files, fetches into one.",
        "dfrun eval model.pb --feed x=data.h5:/image --fetch softmax --out result.h5", SetupEval);

}  // namespace
}  // namespace dfrun::jobs
