// dfrun run SPEC: runs the job that the spec describes.
#include <csignal>
#include <memory>

#include "jobs/command.h"
#include "jobs/progress.h"
#include "jobs/ranks.h"
#include "src/session/job.h"
#include "src/spec/load.h"

namespace dfrun::jobs {
namespace {

struct RunOptions {
  std::string spec;
  std::vector<std::string> sets;
  RankOptions ranks;
  JobOptions job;
};

Status Lead(const RunOptions& options, Runtime& runtime) {
  SpecOptions spec_options;
  spec_options.sets = options.sets;
  spec_options.ranks = runtime.size();
  DF_ASSIGN(const LoadedSpec spec, LoadSpec(options.spec, spec_options));
  if (!spec.job.train && !spec.job.run) {
    return Error(Code::kBadSpec, options.spec,
                 ":1:1: there is nothing to run: the spec has neither `train:` nor `run:`");
  }
  JobOptions job = options.job;
  if (job.output.empty()) job.output = spec.job.name + ".run";
  std::signal(SIGPIPE, SIG_IGN);  // see ~Progress()
  Progress progress(stdout);
  return RunJob(runtime, spec, job, progress);
}

RunCommand Setup(Options& args) {
  auto options = std::make_shared<RunOptions>();
  args.Value("spec", options->spec, "The job's YAML file").Required();
  args.Values("--set", options->sets, "key=value: another value for one of the spec's params");
  args.Value("--output", options->job.output, "Run directory; default: the spec's name with .run");
  args.Flag("--resume", options->job.resume, "Go on from the newest checkpoint in the run directory");
  DeclareRankOptions(args, options->ranks);
  args.Value("--trace", options->job.trace_steps, "Write a Chrome trace a rank of the first STEPS steps").AtLeast(0);
  args.Flag("--no-optimize{false}", options->job.optimize, "Skip the graph passes but for pruning");
  return [options]() -> Result<int> {
    return LeadOrServe(options->ranks, [&](Runtime& runtime) { return Lead(*options, runtime); });
  };
}

COMMAND("run", "Runs the job that a spec describes.", "mpirun -np 4 dfrun run configs/digits_mlp.yaml --output run",
        Setup);

}  // namespace
}  // namespace dfrun::jobs
