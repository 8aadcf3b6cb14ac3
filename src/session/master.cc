#include "src/session/master.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include "src/framework/file_access.h"
#include "src/graph/graph_def.h"
#include "src/session/compile.h"
#include "src/session/control.pb.h"
#include "src/session/control_error.h"
#include "src/session/control_plane.h"
#include "src/session/data_files.h"
#include "src/session/session_graph.h"
#include "src/session/stop_guard.h"
#include "src/trace/chrome_trace.h"

namespace dfrun {
namespace {

// A rank that only sends may run ahead of those that receive; what it has sent waits in their memory. This bounds it.
constexpr int64_t kStepsPerRequest = 100;
// A request to stop is heard between two requests of steps: this bounds how many are asked for at once, beside one.
constexpr std::chrono::duration<double> kRequestTime(0.25);
// protobuf's own limit is 2 GiB a message.
constexpr size_t kMaxGraphBytes = (size_t{1} << 31) - (size_t{1} << 20);

std::string SignatureKey(const RunSignature& signature) {
  std::string key;
  for (const Output& feed : signature.feeds) key += StrCat(feed.node, ':', feed.port, ' ');
  for (const PartialShape& shape : signature.feed_shapes) key += shape.ToString();
  key += " -> ";
  for (const Output& fetch : signature.fetches) key += StrCat(fetch.node, ':', fetch.port, ' ');
  key += '^';
  for (NodeId target : signature.targets) key += StrCat(target, ' ');
  return key;
}

bool Fits(const Shape& shape, const PartialShape& wanted) {
  if (!wanted.known_rank()) return true;
  if (wanted.rank() != shape.rank()) return false;
  for (int i = 0; i < shape.rank(); ++i) {
    if (wanted.dim(i) != PartialShape::kUnknown && wanted.dim(i) != shape.dim(i)) return false;
  }
  return true;
}

// Ranks need not be in one directory: what is relative means rank 0's, and that of the rank that opens a file.
FileRules WithAbsoluteRoots(FileRules rules) {
  const std::vector<std::string> roots = rules.roots;
  for (const std::string& root : roots) rules.roots.push_back(std::filesystem::absolute(root).string());
  return rules;
}

// The places of variables and the like are fixed by the plans that hold them.
Status CheckStaysInPlace(const Graph& before, const Graph& after) {
  for (const Node& node : before.nodes()) {
    const std::string& device = after.node(node.id).device;
    if (!node.op->is_stateful || device == node.device) continue;
    return InvalidArgument(before.Describe(node.id), " is on '", node.device,
                           "', but new nodes that must be where it is ", "are constrained to '", device,
                           "': a session cannot move what has a state");
  }
  return Status();
}

Status AddParts(const std::vector<Partition>& partitions, int rank, control::Register* request) {
  for (const Partition& partition : partitions) {
    if (partition.rank != rank) continue;
    std::string bytes = ExportGraphDef(partition.graph, GraphDefFormat::kBinary);
    if (bytes.size() > kMaxGraphBytes) {
      return Error(Code::kResourceExhausted, "the part of the graph on ", partition.device, " takes ", bytes.size(),
                   " bytes, more than a message can hold; read large constants from a file");
    }
    control::Register::Part* part = request->add_parts();
    part->set_device(partition.device);
    part->set_graph_def(std::move(bytes));
  }
  return Status();
}

}  // namespace

Master::Master(Runtime& runtime, Graph graph, Cluster cluster, const SessionOptions& options, int64_t session_id)
    : runtime_(runtime),
      session_id_(session_id),
      cluster_(std::move(cluster)),
      optimize_(options.optimize),
      soft_placement_(options.soft_placement),
      files_(WithAbsoluteRoots(options.files)),
      several_ranks_(runtime.size() > 1),
      graph_(std::make_shared<const Graph>(std::move(graph))) {}

Master::~Master() = default;

Status Master::StartTasks() {
  MutexLock lock(round_mu_);
  Status own = runtime_.StartTask(*cluster_.devices[0].name.job, *cluster_.devices[0].name.task, files_);
  if (!several_ranks_) return own;
  const int64_t round = runtime_.control()->NewRound();
  for (const ClusterDevice& device : cluster_.devices) {
    if (device.rank == 0 || device.name.type != HostDeviceType() || device.name.index != 0) continue;
    control::Message request;
    request.set_round(round);
    request.mutable_start_task()->set_job(*device.name.job);
    request.mutable_start_task()->set_task(*device.name.task);
    control::StartTask::Files* files = request.mutable_start_task()->mutable_files();
    files->set_is_confined(files_.is_confined);
    files->set_trusts_inputs(files_.trusts_inputs);
    for (const std::string& root : files_.roots) files->add_roots(root);
    request.mutable_start_task()->set_saves(runtime_.stop() != nullptr && runtime_.stop()->saves());
    runtime_.control()->SendTo(device.rank, request);
  }
  return FinishRound(round, StatusNow(own));
}

Result<Executable*> Master::Prepare(const RunSignature& signature, bool optimize) {
  const std::string key = SignatureKey(signature) + (optimize ? "" : "as it is");
  DF_TRY(session_status());
  if (Executable* found = FindExecutable(key)) return found;
  MutexLock round(round_mu_);
  DF_TRY(session_status());
  if (Executable* found = FindExecutable(key)) return found;  // made by another thread meanwhile
  DF_ASSIGN(std::unique_ptr<Executable> compiled, Compile(signature, optimize));
  MutexLock lock(mu_);
  return (executables_[key] = std::move(compiled)).get();
}

std::shared_ptr<const Graph> Master::graph() const {
  MutexLock lock(mu_);
  return graph_;
}

Executable* Master::FindExecutable(const std::string& key) const {
  MutexLock lock(mu_);
  auto it = executables_.find(key);
  return it == executables_.end() ? nullptr : it->second.get();
}

Status Master::Extend(const std::function<Status(Graph&)>& add) {
  MutexLock round(round_mu_);
  DF_TRY(session_status());
  const std::shared_ptr<const Graph> old = graph();
  Graph extended = old->Clone();
  DF_TRY(add(extended));
  DF_TRY(PrepareSessionGraph(
      extended, {.soft_placement = soft_placement_, .session = session_id_, .first_node = old->num_nodes()}));
  DF_TRY(CheckStaysInPlace(*old, extended));
  MutexLock lock(mu_);
  graph_ = std::make_shared<const Graph>(std::move(extended));
  return Status();
}

Status Master::ResetContainers(const std::vector<std::string>& names) {
  MutexLock round(round_mu_);
  DF_TRY(session_status());
  {
    MutexLock lock(mu_);
    for (auto& [key, executable] : executables_) {
      executable->part.reset();
      ended_executables_.push_back(std::move(executable));
    }
    executables_.clear();
  }
  for (const auto& device : runtime_.devices()) {
    for (const std::string& name : names) device->containers().Reset(name);
  }
  if (!several_ranks_) return Status();
  control::Message request;
  for (const std::string& name : names) request.mutable_reset_containers()->add_names(name);
  return FinishRound(BeginRound(request), {});
}

Result<std::unique_ptr<Executable>> Master::Compile(const RunSignature& signature, bool optimize) {
  const std::shared_ptr<const Graph> graph = this->graph();
  DF_ASSIGN(std::vector<Partition> partitions,
            CompileRun(*graph, signature, runtime_,
                       {.cluster = cluster_, .optimize = optimize, .soft_placement = soft_placement_}, &next_channel_));
  auto executable = std::make_unique<Executable>();
  executable->id = next_executable_++;
  for (const Output& feed : signature.feeds) executable->feeds.push_back(OutputName(*graph, feed));
  executable->num_fetches = signature.fetches.size();
  std::vector<bool> is_idle(static_cast<size_t>(runtime_.size()), true);
  for (const Partition& partition : partitions) {
    executable->num_nodes += partition.graph.num_nodes();
    if (partition.graph.num_nodes() > 0) is_idle[static_cast<size_t>(partition.rank)] = false;
  }
  for (int rank = 0; rank < runtime_.size(); ++rank) {
    if (is_idle[static_cast<size_t>(rank)]) executable->idle_ranks.push_back(rank);
  }
  DF_TRY(Register(partitions, *executable));
  return executable;
}

Status Master::Register(const std::vector<Partition>& partitions, Executable& executable) {
  int64_t round = 0;
  if (several_ranks_) {
    std::vector<control::Message> requests(runtime_.size());
    for (int rank = 1; rank < runtime_.size(); ++rank) {
      DF_TRY(AddParts(partitions, rank, requests[rank].mutable_register_()));
    }
    AddFiles(partitions, requests);
    round = runtime_.control()->NewRound();
    for (int rank = 1; rank < runtime_.size(); ++rank) {
      requests[rank].set_round(round);
      requests[rank].mutable_register_()->set_executable(executable.id);
      runtime_.control()->SendTo(rank, requests[rank]);
    }
  }
  std::vector<const Partition*> own;
  for (const Partition& partition : partitions) {
    if (partition.rank == 0) own.push_back(&partition);
  }
  Result<std::unique_ptr<RankPart>> part = BuildPart(runtime_, own);
  const Status own_status = part.status();
  if (part.ok()) executable.part = *std::move(part);
  return several_ranks_ ? FinishRound(round, StatusNow(own_status)) : own_status;
}

void Master::AddFiles(const std::vector<Partition>& partitions, std::vector<control::Message>& requests) {
  // What others put into a graph says nothing about files that the user has not named.
  if (!FileAccess::Of(runtime_.cpu())->trusts_inputs()) return;
  const std::shared_ptr<const Graph> whole = graph();
  std::vector<DataFileUses> uses(requests.size());
  for (const Partition& partition : partitions) {
    if (partition.rank != 0) AddDataFiles(partition.graph, *whole, uses[partition.rank]);
  }
  std::map<std::string, Result<control::DataFile>> found;
  for (size_t rank = 1; rank < uses.size(); ++rank) {
    for (const auto& [path, datasets] : uses[rank]) {
      if (!checked_files_.emplace(static_cast<int>(rank), path).second) continue;
      const auto it = found.try_emplace(path, LookAtDataFile(path, datasets)).first;
      // Where this rank cannot read what others do there is nothing to compare with.
      if (it->second.ok()) *requests[rank].mutable_register_()->add_files() = *it->second;
    }
  }
}

Status Master::CheckArgs(const Executable& executable, size_t feeds, size_t fetches) const {
  if (executable.part == nullptr) {
    return FailedPrecondition(
        "the containers of the session were reset after this step was prepared: prepare it again");
  }
  if (feeds != executable.feeds.size() || fetches != executable.num_fetches) {
    return InvalidArgument("a step was given ", feeds, " feeds and room for ", fetches, " fetches; its signature has ",
                           executable.feeds.size(), " and ", executable.num_fetches);
  }
  return Status();
}

Status Master::CheckFeeds(const Executable& executable, std::span<const Tensor> feeds) const {
  if (feeds.empty()) return Status();
  const ExecPlan& plan = *executable.part->plans[0];
  for (size_t i = 0; i < feeds.size(); ++i) {
    const ExecPlan::Feed& wanted = plan.feed(static_cast<int>(i));
    const Tensor& value = feeds[i];
    if (value.initialized() && value.dtype() == wanted.dtype && Fits(value.shape(), wanted.shape)) continue;
    return InvalidArgument("cannot feed ", value.ToString(0), " to '", executable.feeds[i], "', which takes ",
                           wanted.dtype, wanted.shape);
  }
  return Status();
}

Status Master::RunStep(Executable& executable, std::span<const Tensor> feeds, std::span<Tensor> fetches) {
  if (ended_.load(std::memory_order_acquire)) return session_status();
  DF_TRY(CheckArgs(executable, feeds.size(), fetches.size()));
  DF_TRY(CheckFeeds(executable, feeds));
  if (!several_ranks_) {
    const int64_t id = next_step_.fetch_add(1, std::memory_order_relaxed);
    return runtime_.runner().Run(*executable.part, {id, feeds, fetches, trace()});
  }
  MutexLock lock(round_mu_);
  return RunRound(executable, {0, feeds, fetches, trace()}, 1);
}

Status Master::RunSteps(Executable& executable, int64_t steps, Session::AtNotFinite at_not_finite) {
  DF_TRY(CheckArgs(executable, 0, 0));
  const int64_t not_finite = steps_not_finite();
  const auto stops = [&] {
    return runtime_.stop_signal() != 0 ||
           (at_not_finite == Session::AtNotFinite::kStop && steps_not_finite() > not_finite);
  };
  for (int64_t done = 0; done < steps && !stops();) {
    if (ended_.load(std::memory_order_acquire)) return session_status();
    if (several_ranks_) {
      DF_ASSIGN(const int64_t now, RunSomeSteps(executable, steps - done, at_not_finite));
      done += now;
    } else {
      DF_TRY(RunStep(executable, {}, {}));
      ++done;
    }
  }
  return Status();
}

Status Master::CheckNumerics(const RunSignature& signature, bool optimize, std::span<Tensor> fetches) {
  DF_ASSIGN(Executable* const executable, Prepare(signature, optimize));
  DF_TRY(CheckArgs(*executable, 0, fetches.size()));
  NumericsCheck numerics;
  StepArgs args{.fetches = fetches, .numerics = &numerics};
  if (several_ranks_) {
    MutexLock lock(round_mu_);
    return RunRound(*executable, args, 1);
  }
  args.step_id = next_step_.fetch_add(1, std::memory_order_relaxed);
  DF_TRY(runtime_.runner().Run(*executable->part, args));
  return runtime_.runner().Found(numerics).status;
}

Result<int64_t> Master::RunSomeSteps(Executable& executable, int64_t most, Session::AtNotFinite at_not_finite) {
  using Clock = std::chrono::steady_clock;
  MutexLock lock(round_mu_);
  const int64_t steps = std::min(executable.steps_per_request, most);
  const Clock::time_point begin = Clock::now();
  DF_TRY(RunRound(executable, {.trace = trace()}, steps, at_not_finite));
  const std::chrono::duration<double> step_time = (Clock::now() - begin) / static_cast<double>(steps);
  const double wanted = kRequestTime / std::max(step_time, std::chrono::duration<double>(1e-9));
  executable.steps_per_request = std::clamp(static_cast<int64_t>(wanted), int64_t{1}, kStepsPerRequest);
  return steps;
}

Status Master::RunRound(Executable& executable, const StepArgs& args, int64_t steps,
                        Session::AtNotFinite at_not_finite) {
  DF_TRY(session_status());
  control::Message request;
  request.mutable_run()->set_executable(executable.id);
  request.mutable_run()->set_first_step(next_step_);
  request.mutable_run()->set_steps(steps);
  request.mutable_run()->set_trace(args.trace != nullptr);
  request.mutable_run()->set_stop_not_finite(at_not_finite == Session::AtNotFinite::kStop);
  request.mutable_run()->set_check_numerics(args.numerics != nullptr);
  StepRunner& runner = runtime_.runner();
  const int64_t not_finite = runner.steps_not_finite();
  const int64_t round = BeginRound(request);
  StepArgs step = args;
  Status own;
  for (int64_t i = 0; i < steps && own.ok(); ++i) {
    step.step_id = next_step_.fetch_add(1, std::memory_order_relaxed);
    own = runner.Run(*executable.part, step);
    if (at_not_finite == Session::AtNotFinite::kStop && runner.steps_not_finite() > not_finite) break;
  }
  const bool has_found = args.numerics != nullptr && own.ok();
  const Status first = FinishRound(round, has_found ? runner.Found(*args.numerics) : runner.own_failure());
  if (first.ok() && own.ok()) return Status();
  if (runner.failure().ok() && first.code() == Code::kNotFinite) return first;  // found, and nothing failed
  EndSession(first.ok() ? own : first);
  return session_status();
}

int64_t Master::BeginRound(control::Message& request) {
  const int64_t round = runtime_.control()->NewRound();
  request.set_round(round);
  runtime_.control()->Broadcast(request);
  return round;
}

Status Master::FinishRound(int64_t round, const RankStatus& own) {
  ControlPlane& control = *runtime_.control();
  control.Done(round, own);
  runtime_.pool().HelpUntil([&] { return control.AllDone(round) || !control.network_status().ok(); });
  if (control.AllDone(round)) return control.RoundStatus();
  EndSession(control.network_status());
  return session_status();
}

void Master::EndSession(const Status& status) {
  MutexLock lock(mu_);
  if (status_.ok()) status_ = status;
  ended_.store(true, std::memory_order_release);
}

Status Master::session_status() const {
  MutexLock lock(mu_);
  return status_;
}

void Master::StartTrace() {
  tracing_ = true;
}

Status Master::WriteTrace(const std::string& prefix) {
  MutexLock lock(round_mu_);
  tracing_ = false;
  const std::vector<TraceRecord> records = trace_.Take();
  int64_t round = 0;
  if (several_ranks_) {
    control::Message request;
    request.mutable_write_trace()->set_prefix(prefix);
    round = BeginRound(request);
  }
  const Status own = WriteChromeTrace(TracePath(prefix, 0), records, 0);
  return several_ranks_ ? FinishRound(round, StatusNow(own)) : own;
}

Status Master::Close() {
  MutexLock round(round_mu_);
  if (!session_status().ok()) return Status();
  EndSession(FailedPrecondition("the session is closed"));
  Status status;
  if (several_ranks_) {
    control::Message request;
    request.mutable_close();
    status = FinishRound(BeginRound(request), {});
  }
  MutexLock lock(mu_);
  executables_.clear();
  return status;
}

}  // namespace dfrun
