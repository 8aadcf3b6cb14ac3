#include "jobs/plan/compile_plan.h"

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "jobs/plan/replica_sites.h"
#include "jobs/plan/stamp_replicas.h"

namespace dfrun::jobs {
namespace {

// Whether the first step alone has parts on the devices of replicas alone.
bool AreOfFirstStep(const std::vector<CompiledStep>& steps, const ReplicaSites& sites) {
  std::set<std::string> devices;
  for (size_t i = static_cast<size_t>(sites.made_devices - kShownDevices); i < sites.devices.size(); ++i)
    devices.insert(sites.devices[i].name.ToString());
  for (size_t i = 1; i < steps.size(); ++i) {
    for (const Partition& partition : steps[i].partitions) {
      if (devices.contains(partition.device)) return false;
    }
  }
  return true;
}

// Nothing where all replicas are to be compiled.
Result<std::optional<CompiledPlan>> Stamp(const LoadedSpec& spec, JobCompiler& compiler) {
  std::optional<CompiledPlan> none;
  DF_ASSIGN(std::optional<ReplicaSites> sites, FindReplicaSites(spec, compiler.cluster()));
  if (!sites) return none;
  compiler.SetMadeReplicas(sites->made_replicas);
  Result<std::vector<CompiledStep>> steps = compiler.CompileSpec(spec, JobCompiler::MainStep::kUsual);
  compiler.SetMadeReplicas(0);
  DF_TRY(steps.status());
  if (!AreOfFirstStep(*steps, *sites)) return none;
  std::optional<PartCopies> copies = StampReplicas(*sites, steps->front().partitions);
  if (!copies) return none;
  CompiledPlan plan{.steps = *std::move(steps), .copies = *std::move(copies), .devices = std::move(sites->devices)};
  plan.devices.erase(plan.devices.begin(), plan.devices.begin() + sites->made_devices);
  return std::optional(std::move(plan));
}

}  // namespace

std::vector<PlannedPart> CompiledPlan::Copies() const {
  std::vector<PlannedPart> parts;
  for (const ClusterDevice& device : devices) {
    parts.push_back({.partition = &steps.front().partitions.back(),
                     .device = device.name.ToString(),
                     .rank = device.rank,
                     .copies = &copies,
                     .copy = static_cast<int>(parts.size()) + 1});
  }
  return parts;
}

Result<CompiledPlan> CompilePlan(const LoadedSpec& spec, bool stamps_replicas, JobCompiler& compiler) {
  if (stamps_replicas && !compiler.is_placed()) {
    // An error is told by the compilation of all replicas.
    Result<std::optional<CompiledPlan>> plan = Stamp(spec, compiler);
    if (plan.ok() && *plan) return *std::move(*plan);
  }
  CompiledPlan plan;
  DF_ASSIGN(plan.steps, compiler.CompileSpec(spec, JobCompiler::MainStep::kUsual));
  return plan;
}

}  // namespace dfrun::jobs
