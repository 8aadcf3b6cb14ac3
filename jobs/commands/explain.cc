// `dfrun explain SPEC NODE`: why a node is on its device.
#include <memory>

#include "jobs/command.h"
#include "jobs/commands/device_counts.h"
#include "jobs/model.h"
#include "jobs/plan/explain_node.h"
#include "src/base/terminal.h"

namespace dfrun::jobs {
namespace {

struct ExplainCommandOptions {
  std::string node;
  SpecPlanOptions of_spec;
  DeviceCountOptions devices;
};

RunCommand SetupExplain(Options& args) {
  auto options = std::make_shared<ExplainCommandOptions>();
  SpecPlanOptions& of_spec = options->of_spec;
  args.Value("spec", of_spec.spec, "The job's YAML file").Required();
  args.Value("node", options->node, "A node of its step, as `dfrun graph SPEC --text --after place` lists them")
      .Required();
  args.Values("--set", of_spec.sets, kSetHelp);
  args.Value("--ranks", of_spec.ranks, "Ranks that the job will have; default: as many as it needs");
  args.Value("--ranks-per-node", of_spec.ranks_per_node, "Ranks on each host; default: all on one").Between(1, 1 << 20);
  args.Value("--cost-file", of_spec.cost_file,
             "The speeds of the machine, by `dfrun bench node`; default: the spec's, or assumed");
  options->devices.Declare(args);
  args.Flag("--json", of_spec.json, "Print one JSON object");
  return [options]() -> Result<int> {
    options->of_spec.devices = options->devices.Given();
    DF_ASSIGN(const std::string text, ExplainNode(options->node, options->of_spec));
    WriteText(stdout, text);
    return 0;
  };
}

COMMAND("explain", "Says which devices could hold a node of a job's step, when it would end on each, and what decides.",
        "dfrun explain configs/digits_mlp.yaml h1/MatMul --ranks 2 --set train.replicas=1", SetupExplain);

}  // namespace
}  // namespace dfrun::jobs
