#include "jobs/compile_job.h"

#include <algorithm>
#include <utility>

#include "comm/in_process/in_process.h"
#include "src/job/usual_step.h"
#include "src/placement/assumed_cluster.h"
#include "src/session/compile_copies.h"
#include "src/session/kernel_check.h"
#include "src/training/build_job_graph.h"

namespace dfrun::jobs {

Status CheckStage(const char* flag, const std::string& stage) {
  const std::vector<std::string> stages = CompileStages();
  if (std::find(stages.begin(), stages.end(), stage) != stages.end()) return Status();
  std::string known;
  for (const std::string& name : stages) known += StrCat(known.empty() ? "" : ", ", name);
  return Error(Code::kUsage, flag, ": there is no pass '", stage, "'; in their order there are ", known);
}

void AddWithoutPass(Options& args, std::vector<std::string>& passes) {
  args.Values("--without-pass", passes,
              "Leave this pass out, for comparison; an unknown name is answered by the known ones");
}

Status CheckWithoutPass(const std::vector<std::string>& passes) {
  for (const std::string& pass : passes) DF_TRY(CheckStage("--without-pass", pass));
  return Status();
}

std::vector<DevicePart> PartsOf(const std::vector<CompiledStep>& steps) {
  std::vector<DevicePart> parts;
  for (const CompiledStep& step : steps) {
    for (const Partition& partition : step.partitions) parts.push_back({&partition, step.runs_beside, step.plans});
  }
  return parts;
}

Result<JobCompiler> JobCompiler::Create(const Model& model, int ranks, const std::string& last_stage) {
  DF_ASSIGN(Cluster cluster, AssumeCluster(model.tasks, ranks, model.device_counts, model.graph));
  DF_ASSIGN(std::unique_ptr<Runtime> runtime, Runtime::Create({}, std::move(comm::ConnectInProcess(1)[0])));
  // The job is only compiled: no op that opens a file runs, and none could.
  DF_TRY(runtime->StartTask("worker", 0, {.is_confined = true, .trusts_inputs = false, .roots = {}}));
  const bool soft_placement = model.job && model.job->soft_placement;
  const WireCompression compression = model.job ? model.job->compression : WireCompression::kNone;
  return JobCompiler(std::move(cluster), std::move(runtime), soft_placement, compression, last_stage);
}

CompileOptions JobCompiler::OptionsFor(std::vector<StageTime>* times) const {
  return {.cluster = cluster_,
          .optimize = true,
          .soft_placement = soft_placement_,
          .compression = compression_,
          .last_stage = last_stage_,
          .times = times};
}

Result<std::vector<std::string>> JobCompiler::Place(const LoadedSpec& spec, const PlacementRequest& request) {
  if (!spec.job.train && !spec.job.run) return std::vector<std::string>();
  DF_ASSIGN(PlacedJob placed, ChoosePlacement(spec, *runtime_, options(), request));
  placement_ = std::move(placed.placement);
  return std::move(placed.lines);
}

Result<CompiledStep> JobCompiler::Compile(const std::string& name, const Graph& graph, const RunSignature& signature) {
  int32_t channels = 0;
  CompiledStep step{name, {}, {}};
  DF_ASSIGN(step.partitions, CompileRun(graph, signature, *runtime_, OptionsFor(&step.times), &channels));
  return step;
}

Status JobCompiler::AddReplicas(const JobGraph& job, std::vector<CompiledStep>& out) {
  int32_t channels = 0;
  std::vector<StageTime> times;
  const CompileOptions options = OptionsFor(&times);
  SignatureCompiler compiler(job.graph, *runtime_, options, &channels);
  for (const RunSignature& replica : job.apart->steps) {
    DF_ASSIGN(const SignatureCompiler::Partitions compiled, compiler.Compile(replica));
    CompiledStep& step = out.emplace_back();
    step.name = StrCat("replica_", out.size() - 1);
    for (const Partition& partition : *compiled)
      step.partitions.push_back({partition.device, partition.rank, partition.graph.Clone()});
    step.times = std::exchange(times, {});
    step.runs_beside = true;
  }
  return Status();
}

Result<std::vector<CompiledStep>> JobCompiler::CompileSpec(const LoadedSpec& spec, MainStep main) {
  DF_TRY(CheckKernels(spec.graph, runtime_->cpu(), runtime_->kernels()));
  if (spec.other != nullptr) DF_TRY(CheckKernels(spec.other->graph, runtime_->cpu(), runtime_->kernels()));
  std::vector<CompiledStep> out;
  const auto add = [&](const std::string& name, const Graph& graph, const RunSignature& signature) -> Status {
    DF_ASSIGN(CompiledStep step, Compile(name, graph, signature));
    out.push_back(std::move(step));
    return Status();
  };
  if (!spec.job.train && !spec.job.run) {
    RunSignature all;
    all.targets = Sinks(spec.graph);
    DF_TRY(add("graph", spec.graph, all));
    return out;
  }
  DF_ASSIGN(const JobGraph job, BuildJobGraph(spec, cluster_, placement_, made_replicas_));
  if (job.apart) DF_TRY(AddReplicas(job, out));
  if (!job.apart || job.apart->backup > 0) {
    const RunSignature step = main == MainStep::kUsual ? UsualStep(spec.job, job) : job.step.signature;
    DF_TRY(add(spec.job.train ? "train" : "run", job.graph, step));
    out.back().runs_beside = job.apart.has_value();
    // Steps that are not logged have a plan of their own.
    if (spec.job.train && spec.job.train->log_every > 1) out.back().plans = 2;
  }
  if (job.sync_every > 0) DF_TRY(add("sync", job.graph, job.sync));
  DF_TRY(add("init", job.graph, job.init));
  for (const EvaluationPass& pass : job.evaluations) {
    const std::string of = pass.name == "eval" ? "" : "/" + pass.name;
    if (!pass.batch.names.empty()) DF_TRY(add("eval" + of, job.graph, pass.batch.signature));
    if (pass.rest) DF_TRY(add("eval_rest" + of, job.graph, pass.rest->signature));
  }
  DF_TRY(add("save", job.graph, job.sync_every > 0 ? job.save_between_syncs : job.save));
  if (!spec.job.checkpoint) out.back().plans = 0;
  DF_TRY(add("restore", job.graph, job.restore));
  out.back().plans = 0;  // a job that is resumed does it in the place of its first values
  return out;
}

}  // namespace dfrun::jobs
