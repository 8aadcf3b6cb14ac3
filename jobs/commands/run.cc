// `dfrun run SPEC`: runs the job that the spec describes.
#include <csignal>
#include <memory>

#include "jobs/command.h"
#include "jobs/compile_job.h"
#include "jobs/file_rules.h"
#include "jobs/model.h"
#include "jobs/output_file.h"
#include "jobs/place_by_spec.h"
#include "jobs/ranks/ranks.h"
#include "src/base/text.h"
#include "src/job/job.h"
#include "src/job/json_progress.h"
#include "src/job/open_metrics.h"
#include "src/job/progress.h"
#include "src/spec/load.h"

namespace dfrun::jobs {
namespace {

constexpr const char* kNewest = "newest";
// The time that the scripts make Open MPI wait between SIGTERM and SIGKILL.
constexpr int64_t kGraceS = 20;

struct RunOptions {
  std::string spec;
  std::string resume;  // kNewest, a step, or empty
  int64_t steps = 0;   // 0: as many as the spec says
  RankOptions ranks;
  JobOptions job;
  std::vector<std::string> allow_paths;
  bool force = false;
  std::string open_metrics;  // empty: there is none
};

// Parses from which checkpoint to resume, if any.
Status ReadResume(const std::string& text, JobOptions& job) {
  job.resume = !text.empty() && text != "false";
  if (!job.resume || text == kNewest || text == "true") return Status();
  job.resume_step = ParseAs<int64_t>(text);
  if (job.resume_step && *job.resume_step >= 0) return Status();
  return Error(Code::kUsage, "--resume=", text, ": '", text,
               "' is not a step; --resume goes on from the newest checkpoint, --resume=100 from that of step 100");
}

Status Lead(const RunOptions& options, Runtime& runtime) {
  JobOptions job = options.job;
  DF_TRY(ReadResume(options.resume, job));
  DF_TRY(CheckWithoutPass(job.without_passes));
  SpecOptions spec_options;
  spec_options.sets = job.sets;
  spec_options.ranks = runtime.size();
  if (options.steps > 0) spec_options.steps = options.steps;
  spec_options.prints = true;
  DF_TRY(CheckMayBeSpec(options.spec));
  DF_ASSIGN(const LoadedSpec spec, LoadSpec(options.spec, spec_options));
  if (!spec.job.train && !spec.job.run) {
    return Error(Code::kBadSpec, options.spec,
                 ":1:1: there is nothing to run: the spec has neither `train:` nor `run:`");
  }
  if (spec.job.train && job.check_numerics) {
    return Error(Code::kUsage,
                 "--check-numerics is for specs with `run:`; a training names the node where a loss or a "
                 "gradient that is not finite began by itself (`on_nan` of `train:`)");
  }
  if (options.steps > 0) job.sets.push_back(StrCat(spec.job.train ? "train" : "run", ".steps=", options.steps));
  if (spec.job.placement.kind == PlacementSpec::Kind::kSimulated) {
    DF_ASSIGN(job.costs, CostsOfPlacement(spec.job.placement));
  }
  job.grace_s = static_cast<double>(options.ranks.grace_s);
  if (job.output.empty()) job.output = spec.job.name + ".run";
  job.files = RulesOfModel(options.spec, options.allow_paths);
  job.files.trusts_inputs = true;  // the file is a spec, whatever its name
  AllowSets(job.sets, job.files);
  job.files.may_replace = options.force;
  std::signal(SIGPIPE, SIG_IGN);  // see ~Progress()
  std::vector<std::unique_ptr<JobObserver>> observers;
  if (options.ranks.log_json) {
    observers.push_back(std::make_unique<JsonProgress>(stdout));
  } else {
    observers.push_back(std::make_unique<Progress>(stdout));
  }
  if (!options.open_metrics.empty()) {
    DF_TRY((OutputFile{"--open-metrics", options.open_metrics, options.force, spec.files}.Check()));
    observers.push_back(std::make_unique<OpenMetricsFile>(options.open_metrics, spec.job.name));
  }
  std::vector<JobObserver*> told;
  for (const auto& observer : observers) told.push_back(observer.get());
  return RunJob(runtime, spec, job, told);
}

RunCommand SetupRun(Options& args) {
  auto options = std::make_shared<RunOptions>();
  options->ranks.grace_s = kGraceS;
  args.Value("spec", options->spec, "The job's YAML file").Required();
  args.Values("--set", options->job.sets, kSetHelp);
  args.Value("--steps", options->steps, "Steps of the job, in place of the spec's `steps` or `epochs`").AtLeast(1);
  args.Value("--output", options->job.output, "Run directory; default: the spec's name with .run");
  args.FlagOrValue("--resume", kNewest, options->resume,
                   "Go on from the newest checkpoint in the run directory; --resume=STEP: from that of this step");
  DeclareRankOptions(args, options->ranks);
  DeclareStall(args, options->ranks);
  args.Seconds("--grace", options->ranks.grace_s,
               "Time for the step in progress to end in after a signal that asks to stop; default: 20, less a save")
      .Between(1, 86'400);
  DeclareLogJson(args, options->ranks);
  args.Value("--open-metrics", options->open_metrics,
             "Keep the last metrics in this file, in the text format of OpenMetrics, for a node exporter");
  args.Value("--trace", options->job.trace_steps, "Write a Chrome trace a rank of the first STEPS steps").AtLeast(0);
  AddAllowPaths(args, options->allow_paths);
  args.Flag("--force", options->force, "Let the graph's ops replace files that were there before the run");
  args.Flag("--no-optimize{false}", options->job.optimize, "Skip the graph passes but for pruning");
  AddWithoutPass(args, options->job.without_passes);
  args.Flag(
      "--check-numerics", options->job.check_numerics,
      "Of a spec with `run:`: look at each value of each step, and end at the first node that makes NaN or infinity");
  options->job.version = DFRUN_VERSION;
  return [options]() -> Result<int> {
    return RunMasterOrWorker(options->ranks, [&](Runtime& runtime) { return Lead(*options, runtime); });
  };
}

COMMAND("run", "Runs the job that a spec describes.", "mpirun -np 4 dfrun run configs/digits_mlp.yaml --output run",
        SetupRun);

}  // namespace
}  // namespace dfrun::jobs
