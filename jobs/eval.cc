// dfrun eval MODEL: runs parts of a graph, with feeds from HDF5 files and fetches into one.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <utility>

#include "jobs/command.h"
#include "jobs/eval_request.h"
#include "jobs/eval_results.h"
#include "jobs/eval_spec.h"
#include "jobs/eval_variables.h"
#include "jobs/json.h"
#include "jobs/model.h"
#include "jobs/ranks.h"
#include "src/base/printable.h"
#include "src/passes/variable_reads.h"
#include "src/session/session.h"

namespace dfrun::jobs {
namespace {

constexpr const char* kTracePrefix = "trace/";

struct EvalOptions {
  std::string model;
  std::vector<std::string> sets;
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  std::vector<std::string> inits;
  std::vector<std::string> finals;
  int64_t repeat = 1;
  std::string restore;
  RankOptions ranks;
  bool optimize = true;
  bool soft_placement = false;
  std::string out;
  std::string stats;
  int64_t trace_steps = 0;
};

// The steps of one command, on rank 0.
class Evaluation {
 public:
  Evaluation(const EvalOptions& options, Runtime& runtime) : options_(options), runtime_(runtime) {}

  Status Run() {
    DF_TRY(CheckWritable(options_.out));
    DF_TRY(CheckWritable(options_.stats));
    DF_ASSIGN(Model model, LoadRunnable(options_.model, options_.sets, runtime_.size()));
    DF_TRY(CheckRanks(model));
    DF_TRY(Resolve(model));
    if (!model.job) DF_TRY(ReadVariablesAtUse(model.graph, step_.feeds));
    DF_TRY(CheckFed(model.graph, step_));
    DF_TRY(AddVariableSteps(model));
    SessionOptions session_options;
    session_options.jobs = model.tasks;
    session_options.optimize = options_.optimize;
    session_options.soft_placement = options_.soft_placement;
    DF_ASSIGN(session_, Session::Create(runtime_, std::move(model.graph), session_options));
    DF_TRY(RunOnce(before_));
    DF_TRY(RunSteps());
    DF_TRY(RunOnce(after_));
    DF_TRY(Report());
    return session_->Close();
  }

 private:
  // A graph's devices say how many ranks there must be; a spec is laid on those there are.
  Status CheckRanks(const Model& model) const {
    const int needed = model.RanksNeeded();
    if (model.job || options_.soft_placement || needed <= runtime_.size()) return Status();
    return Error(Code::kUsage, "the devices in ", options_.model, " are of ", needed, " ranks, but there ",
                 runtime_.size() == 1 ? "is " : "are ", runtime_.size(), ": run it with mpirun -np ", needed);
  }

  // What is fed and fetched: what the command line says, else the evaluation or the run that the spec describes.
  Status Resolve(Model& model) {
    DF_TRY(CheckFetchNames(options_.fetches));
    for (const std::string& text : options_.feeds) {
      DF_ASSIGN(Feed feed, ReadFeed(model, text));
      if (std::find(step_.feeds.begin(), step_.feeds.end(), feed.output) != step_.feeds.end())
        return Error(Code::kUsage, "--feed ", text, ": '", OutputName(model.graph, feed.output), "' is fed twice");
      step_.feeds.push_back(feed.output);
      step_.feed_shapes.emplace_back(feed.value.shape());
      feeds_.push_back(std::move(feed.value));
    }
    names_ = options_.fetches;
    DF_ASSIGN(step_.fetches, ResolveFetches(model, names_));
    DF_ASSIGN(step_.targets, ResolveNodes(model.graph, "--target", options_.targets));
    DF_ASSIGN(inits_, ResolveNodes(model.graph, "--init", options_.inits));
    DF_ASSIGN(finals_, ResolveNodes(model.graph, "--finally", options_.finals));
    if (names_.empty() && step_.targets.empty()) return ResolveFromSpec(model);
    return Status();
  }

  Status ResolveFromSpec(Model& model) {
    if (!model.job) return Error(Code::kUsage, "there is nothing to evaluate: give --fetch NAME or --target NODE");
    DF_ASSIGN(SpecEvaluation evaluation, AddSpecEvaluation(model.graph, *model.job));
    names_ = std::move(evaluation.names);
    step_.fetches = std::move(evaluation.fetches);
    return Status();
  }

  Status AddVariableSteps(Model& model) {
    if (model.job) {
      DF_ASSIGN(FedStep initial, AddInitialValues(model.graph, *model.job));
      before_.push_back(std::move(initial));
    }
    for (NodeId init : inits_) before_.push_back(StepOf(init));
    for (NodeId last : finals_) after_.push_back(StepOf(last));
    if (!options_.restore.empty()) {
      DF_ASSIGN(const std::vector<std::string> wanted, VariablesOf(model.graph, step_));
      DF_ASSIGN(FedStep saved, AddSavedValues(model.graph, wanted, options_.restore, inits_.empty()));
      before_.push_back(std::move(saved));
    }
    return Status();
  }

  // One node, with all that is fed.
  FedStep StepOf(NodeId node) const {
    RunSignature signature;
    signature.feeds = step_.feeds;
    signature.feed_shapes = step_.feed_shapes;
    signature.targets = {node};
    return {std::move(signature), feeds_};
  }

  Status RunOnce(const std::vector<FedStep>& steps) {
    for (const FedStep& step : steps) {
      if (step.signature.targets.empty()) continue;
      DF_ASSIGN(const Session::Handle handle, session_->Prepare(step.signature));
      DF_TRY(session_->RunStep(handle, step.feeds, {}));
    }
    return Status();
  }

  Status RunSteps() {
    DF_ASSIGN(const Session::Handle handle, session_->Prepare(step_));
    results_ = std::make_unique<FetchStack>(names_, options_.repeat);
    stats_.nodes = session_->num_nodes(handle);
    stats_.step_ms.reserve(static_cast<size_t>(options_.repeat));
    if (options_.trace_steps > 0) session_->StartTrace();
    stats_.startup_ms = MillisecondsSinceProcessStart();
    std::vector<Tensor> fetched(step_.fetches.size());
    for (int64_t i = 0; i < options_.repeat; ++i) {
      const auto start = std::chrono::steady_clock::now();
      DF_TRY(session_->RunStep(handle, feeds_, fetched));
      const auto end = std::chrono::steady_clock::now();
      stats_.step_ms.push_back(std::chrono::duration<double, std::milli>(end - start).count());
      DF_TRY(results_->Add(fetched));
      if (i + 1 == std::min(options_.trace_steps, options_.repeat)) DF_TRY(session_->WriteTrace(kTracePrefix));
    }
    stats_.peak_bytes = runtime_.cpu().allocator().Stats().peak_bytes_in_use;
    return Status();
  }

  Status Report() const {
    if (!options_.stats.empty()) DF_TRY(WriteTextFile(options_.stats, stats_.ToJson()));
    if (!options_.out.empty()) return WriteFetches(options_.out, names_, results_->values());
    for (size_t i = 0; i < names_.size(); ++i) {
      std::printf("%s: %s\n", PrintableLine(names_[i]).c_str(), results_->values()[i].ToString().c_str());
    }
    return Status();
  }

  const EvalOptions& options_;
  Runtime& runtime_;
  std::vector<std::string> names_;  // of the fetches
  RunSignature step_;
  std::vector<Tensor> feeds_;  // of step_
  std::vector<NodeId> inits_;
  std::vector<NodeId> finals_;
  std::vector<FedStep> before_;  // the steps that give variables their values
  std::vector<FedStep> after_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<FetchStack> results_;
  EvalStats stats_;
};

void AddModelOptions(Options& args, EvalOptions& options) {
  args.Value("model", options.model, "A GraphDef (.pb, .pbtxt) or a spec").Required();
  args.Values("--set", options.sets, "key=value: another value for one of the spec's params");
  args.Values("--feed", options.feeds, "NAME[:port]=FILE.h5:/path: feed this dataset");
  args.Values("--fetch", options.fetches, "NAME[:port]: fetch this output; default: the spec's own metrics");
  args.Values("--target", options.targets, "Run this node for its effect");
  args.Values("--init", options.inits, "Run this node once before the first step, with the same feeds");
  args.Values("--finally", options.finals, "Run this node once after the last step, with the same feeds");
  args.Value("--restore", options.restore, "Give the variables their values in this checkpoint");
}

void AddRunOptions(Options& args, EvalOptions& options) {
  args.Value("--repeat", options.repeat, "Run the step K times; fetches are stacked along a new first axis")
      .Between(1, 100'000'000);
  DeclareRankOptions(args, options.ranks);
  args.Flag("--no-optimize{false}", options.optimize, "Skip the graph passes but for pruning");
  args.Flag("--no-straight-loops{false}", options.ranks.straight_loops,
            "Run every loop by frames and iterations, for comparison; the results are the same");
  args.Flag("--soft-placement", options.soft_placement,
            "Nodes whose device is not there go where they may; else that is an error");
  args.Value("--out", options.out, "HDF5 file for the fetches; default: they are printed");
  args.Value("--stats", options.stats, "JSON file for step times, node count and memory");
  args.Value("--trace", options.trace_steps, "Write trace/rank-<rank>.json, a Chrome trace of the first STEPS steps")
      .AtLeast(0);
}

RunCommand Setup(Options& args) {
  auto options = std::make_shared<EvalOptions>();
  AddModelOptions(args, *options);
  AddRunOptions(args, *options);
  return [options]() -> Result<int> {
    return LeadOrServe(options->ranks, [&](Runtime& runtime) { return Evaluation(*options, runtime).Run(); });
  };
}

COMMAND("eval", "Runs a graph: feeds from HDF5 files, fetches into one.",
        "dfrun eval model.pb --feed x=data.h5:/image --fetch softmax --out result.h5", Setup);

}  // namespace
}  // namespace dfrun::jobs
