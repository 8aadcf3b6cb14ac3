// dfrun check SPEC: everything that can be wrong with a job before it runs, found without MPI.
#include <cstdio>
#include <memory>
#include <numeric>

#include "jobs/command.h"
#include "jobs/compile_job.h"
#include "jobs/model.h"
#include "src/base/printable.h"
#include "src/session/job_graph.h"

namespace dfrun::jobs {
namespace {

struct CheckOptions {
  std::string spec;
  std::vector<std::string> sets;
  int ranks = 0;  // as many as the tasks need
};

void Print(const std::string& path, int ranks, const LoadedSpec& spec, const std::vector<CompiledStep>& steps) {
  std::printf("%s: ok, %d nodes\n", PrintableLine(path).c_str(), spec.graph.num_nodes());
  for (const CompiledStep& step : steps) {
    const int nodes = std::accumulate(step.partitions.begin(), step.partitions.end(), 0,
                                      [](int sum, const Partition& p) { return sum + p.graph.num_nodes(); });
    std::printf("  %s: %d nodes in %zu partitions on %d ranks\n", PrintableLine(step.name).c_str(), nodes,
                step.partitions.size(), ranks);
  }
}

Result<int> Check(const CheckOptions& options) {
  DF_ASSIGN(Model model, LoadSpecModel(options.spec, options.sets, options.ranks));
  const int ranks = options.ranks > 0 ? options.ranks : model.RanksNeeded();
  const LoadedSpec spec{*std::move(model.job), std::move(model.graph)};
  Result<JobCompiler> compiler = JobCompiler::Create(model.tasks, ranks);
  DF_TRY(AsSpecError(options.spec, compiler.status()));
  const Result<std::vector<CompiledStep>> steps = compiler->CompileSpec(spec);
  DF_TRY(AsSpecError(options.spec, steps.status()));
  Print(options.spec, ranks, spec, *steps);
  return 0;
}

RunCommand Setup(Options& args) {
  auto options = std::make_shared<CheckOptions>();
  args.Value("spec", options->spec, "The job's YAML file").Required();
  args.Values("--set", options->sets, "key=value: another value for one of the spec's params");
  args.Value("--ranks", options->ranks, "Ranks that the job will have; default: as many as it needs")
      .Between(1, 1 << 20);
  return [options] { return Check(*options); };
}

COMMAND("check", "Compiles a job without running it; errors as file:line:column, exit code 65.",
        "dfrun check configs/digits_mlp.yaml --ranks 64", Setup);

}  // namespace
}  // namespace dfrun::jobs
