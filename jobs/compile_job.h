// The master's compilation of a job for any number of ranks, in one process and without MPI, for `check` and `graph`.
#ifndef DFRUN_JOBS_COMPILE_JOB_H_
#define DFRUN_JOBS_COMPILE_JOB_H_

#include <memory>
#include <string>
#include <vector>

#include "jobs/model.h"
#include "jobs/options.h"
#include "src/graph/node_placement.h"
#include "src/job/memory_estimate.h"
#include "src/job/place_job.h"
#include "src/partition/partition.h"
#include "src/passes/prune.h"
#include "src/placement/cluster.h"
#include "src/session/compile.h"
#include "src/session/runtime.h"
#include "src/spec/job_spec.h"
#include "src/training/job_graph.h"

namespace dfrun::jobs {

// Checks that `flag` names a stage of the compilation (src/session/compile.h). The usage error lists the stages.
Status CheckStage(const char* flag, const std::string& stage);

// AddWithoutPass() declares the option for SessionOptions::without_passes; CheckWithoutPass() checks that its values
// are names of passes.
void AddWithoutPass(Options& args, std::vector<std::string>& passes);
Status CheckWithoutPass(const std::vector<std::string>& passes);

struct CompiledStep {
  std::string name;  // "train", "init", ...
  std::vector<Partition> partitions;
  std::vector<StageTime> times;  // none of a copy of a step before it (src/session/compile_copies.h)
  bool runs_beside = false;      // DevicePart::runs_beside
  int plans = 1;                 // DevicePart::plans
};

// The parts of all steps, whose memory is estimated together. They live as long as the steps.
std::vector<DevicePart> PartsOf(const std::vector<CompiledStep>& steps);

// Compiles the steps of a job.
// Lifetime: must outlive what it compiles, since folded constants are in its device's memory.
// Thread safety: one thread.
class JobCompiler {
 public:
  // Makes a compiler for this many ranks, with the devices that AssumeCluster() gives them. InvalidArgument if these
  // are too few for the model's tasks. `last_stage` is CompileOptions::last_stage.
  static Result<JobCompiler> Create(const Model& model, int ranks, const std::string& last_stage = "");

  // Compiles one way of running a graph.
  Result<CompiledStep> Compile(const std::string& name, const Graph& graph, const RunSignature& signature);
  // Compiles every step that the job of a spec runs, the main one first. A spec without `train:` and `run:` is compiled
  // as a graph whose every node is wanted.
  enum class MainStep { kLogged, kUsual };  // kUsual: src/job/usual_step.h
  Result<std::vector<CompiledStep>> CompileSpec(const LoadedSpec& spec, MainStep main = MainStep::kLogged);

  // The devices by which CompileSpec() builds a job from now on.
  void SetPlacement(NodePlacement placement) { placement_ = std::move(placement); }
  // The number of replicas of which CompileSpec() makes nodes from now on; 0: all (Replicas::Add()).
  void SetMadeReplicas(int replicas) { made_replicas_ = replicas; }
  // Chooses them as a run with these costs would (src/job/place_job.h), and keeps them. Returns lines for people.
  Result<std::vector<std::string>> Place(const LoadedSpec& spec, const PlacementRequest& request);

  const NodePlacement& placement() const { return placement_; }
  bool is_placed() const { return !placement_.empty(); }

  const Cluster& cluster() const { return cluster_; }
  Runtime& runtime() { return *runtime_; }
  // Options for compiling as Compile() does.
  CompileOptions options() const { return OptionsFor(nullptr); }

 private:
  CompileOptions OptionsFor(std::vector<StageTime>* times) const;
  // Appends the steps of replicas that run for themselves.
  Status AddReplicas(const JobGraph& job, std::vector<CompiledStep>& out);

  JobCompiler(Cluster cluster, std::unique_ptr<Runtime> runtime, bool soft_placement, WireCompression compression,
              std::string last_stage)
      : cluster_(std::move(cluster)),
        runtime_(std::move(runtime)),
        soft_placement_(soft_placement),
        compression_(compression),
        last_stage_(std::move(last_stage)) {}

  Cluster cluster_;
  std::unique_ptr<Runtime> runtime_;  // its devices fold constants
  bool soft_placement_;               // soft placement of the model's spec
  WireCompression compression_;       // compression of the model's spec
  std::string last_stage_;
  NodePlacement placement_ = {};
  int made_replicas_ = 0;
};

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_COMPILE_JOB_H_
