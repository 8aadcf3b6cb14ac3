#include "src/training/recomputation.h"

#include <algorithm>
#include <utility>

#include "src/base/name_pattern.h"
#include "src/collectives/reduce_groups.h"
#include "src/framework/device/device_types.h"
#include "src/graph/order/live_values.h"
#include "src/passes/recompute/choice.h"
#include "src/passes/recompute/clones.h"
#include "src/training/optimizer.h"
#include "src/training/variable_placement.h"

namespace dfrun {
namespace {

// The share of the memory that is left to what the forecast does not know: the scratch memory of kernels, values of
// unknown shape.
constexpr double kReserve = 0.1;

// The limit of the devices that compute the first worker's replicas: that of its devices with memory of their own where
// it has one, else that of its host's. 0: there is none, or none that is known.
int64_t LimitOfWorker(const JobGraphDraft& draft) {
  const Result<DeviceName> worker = DeviceName::Parse(draft.workers[0]);
  int64_t of_host = 0;
  for (const ClusterDevice& device : draft.cluster.devices) {
    if (!worker.ok() || !AreOfOneTask(*worker, device.name)) continue;
    const int64_t bytes = LimitOfType(draft.spec.memory_limits, *device.name.type, device.memory_bytes);
    if (*device.name.type != HostDeviceType()) return bytes;
    of_host = bytes;
  }
  return of_host;
}

// The number of steps besides the training's that hold a value for each small variable as long as the job runs: those
// that give first values, save and restore.
constexpr int64_t kOtherSteps = 3;

// The replicas of the worker that has most.
int64_t ReplicasOfWorker(const JobGraphDraft& draft, const ReplicaGradients& gradients) {
  const auto workers = static_cast<int64_t>(draft.workers.size());
  return (gradients.replicas + workers - 1) / workers;
}

// The most gradients of one variable that lie where they are summed, beside those of a worker's own replicas.
int64_t GradientsOfOthers(int64_t replicas, int64_t on_worker) {
  const std::vector<ReduceGroup> groups = ReduceGroups(static_cast<size_t>(replicas));
  return std::min(replicas - on_worker, static_cast<int64_t>(std::max(groups[0].size, groups.size())));
}

// The bytes of one variable on the first worker's device: of itself with its slots, of what other steps keep for it, of
// a copy of it, of gradients of other replicas, and of their sum. `is_elsewhere`: it is on another task, where replicas
// have none of their own.
int64_t BytesFor(int64_t own, bool is_trained, bool is_elsewhere, const JobGraphDraft& draft,
                 const ReplicaGradients& gradients) {
  const TrainSpec& train = *draft.spec.train;
  const auto slots = static_cast<int64_t>(FindOptimizer(train.optimizer.name()).slots.size());
  const int64_t kept = own * (is_trained ? 1 + slots : 1) * (own <= kMaxArenaBytes ? 1 + kOtherSteps : 1);
  if (draft.workers.size() == 1) return kept;
  // Replicas are brought together by a value and its momentum.
  if (gradients.have_own_variables) return kept + (is_trained && !is_elsewhere ? 2 * own : 0);
  if (train.data_parallel == TrainSpec::DataParallel::kAllreduce) return kept + (is_trained ? 2 * own : 0);
  if (is_elsewhere) return own;
  const int64_t copies = gradients.are_apart ? 1 : 0;
  if (!is_trained) return kept + copies * own;
  const int64_t of_others =
      gradients.are_apart ? 0 : GradientsOfOthers(gradients.replicas, ReplicasOfWorker(draft, gradients));
  return kept + (copies + of_others + 1) * own;
}

// The bytes on the first worker's device beside the values that its replicas compute.
int64_t BytesBesideValues(const JobGraphDraft& draft, const ReplicaGradients& gradients) {
  const Result<DeviceName> worker = DeviceName::Parse(draft.workers[0]);
  const std::vector<NodeId>& trained = gradients.trained;
  int64_t bytes = 0;
  for (const VariableSpec& variable : draft.spec.variables) {
    const NodeId of_job = draft.shared.nodes.at(variable.node);
    const Result<DeviceName> device = DeviceName::Parse(draft.job.graph.node(of_job).device);
    const bool is_elsewhere = worker.ok() && device.ok() && device->job && !AreOfOneTask(*worker, *device);
    const bool is_trained = std::find(trained.begin(), trained.end(), of_job) != trained.end();
    bytes += BytesFor(VariableBytes(draft.job.graph, of_job), is_trained, is_elsewhere, draft, gradients);
  }
  return bytes;
}

// The bytes of one replica's values; 0: nothing limits them.
int64_t LimitOfValues(const JobGraphDraft& draft, const ReplicaGradients& gradients) {
  const int64_t limit = LimitOfWorker(draft);
  if (limit == 0) return 0;
  const double left =
      static_cast<double>(limit) * (1 - kReserve) - static_cast<double>(BytesBesideValues(draft, gradients));
  return std::max(int64_t{1}, static_cast<int64_t>(left / static_cast<double>(ReplicasOfWorker(draft, gradients))));
}

Status AddNamed(const JobGraphDraft& draft, const GradientStep& step, Graph& graph) {
  std::vector<NamePattern> patterns;
  for (const std::string& text : draft.spec.train->recomputed) patterns.emplace_back(text);
  DF_ASSIGN(const std::vector<NodeId> cloned, CloneForGradients(step, ChooseNamed(graph, step, patterns), graph));
  if (!cloned.empty()) return Status();
  return InvalidArgument(draft.LocationText(draft.spec.train->LocationOf("recompute")),
                         "'recompute' names no node whose value a gradient reads and that may be computed a second "
                         "time: nodes that draw, ",
                         "write, wait, or read a variable that the step assigns may not; write 'auto', or name others");
}

}  // namespace

Status AddRecomputation(const JobGraphDraft& draft, const ReplicaGradients& gradients, Graph& graph) {
  const TrainSpec::Recompute mode = draft.spec.train->recompute;
  if (mode == TrainSpec::Recompute::kNone) return Status();
  DF_ASSIGN(const GradientStep step, GradientStep::Of(graph, gradients.first_gradient, gradients.wanted));
  if (mode == TrainSpec::Recompute::kNamed) return AddNamed(draft, step, graph);
  DF_ASSIGN(const std::vector<bool> chosen, ChooseRecomputed(graph, step, LimitOfValues(draft, gradients)));
  return CloneForGradients(step, chosen, graph).status();
}

}  // namespace dfrun
