#include "src/session/master.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>

#include "src/graph/graph_def/graph_def.h"
#include "src/session/compile_copies.h"
#include "src/session/control/control.pb.h"
#include "src/session/control/control_error.h"
#include "src/session/control/control_plane.h"
#include "src/session/control_round.h"
#include "src/session/data_files.h"
#include "src/session/data_layouts.h"
#include "src/session/layout_finders.h"
#include "src/session/session_graph.h"
#include "src/session/trace/chrome_trace.h"
#include "src/storage/file_access.h"

namespace dfrun {
namespace {

// A bound of the steps in a request: a rank that only sends may run ahead of those that receive, and its messages wait
// in their memory.
constexpr int64_t kStepsPerRequest = 100;
// A request to stop is heard between two requests of steps, so this time bounds how many are asked for at once; at
// least one is.
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

std::string KeyOf(const RunSignature& signature, bool optimize, bool keep_graphs) {
  return SignatureKey(signature) + (optimize ? "" : "as it is") + (keep_graphs ? " with graphs" : "");
}

bool Fits(const Shape& shape, const PartialShape& wanted) {
  if (!wanted.known_rank()) return true;
  if (wanted.rank() != shape.rank()) return false;
  for (int i = 0; i < shape.rank(); ++i) {
    if (wanted.dim(i) != PartialShape::kUnknown && wanted.dim(i) != shape.dim(i)) return false;
  }
  return true;
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
      compression_(options.compression),
      without_passes_(options.without_passes),
      on_compiled_(options.on_compiled),
      error_scope_(options.error_scope),
      check_numerics_(options.check_numerics),
      keep_bytes_(options.keep_bytes),
      several_ranks_(runtime.size() > 1),
      graph_(std::make_shared<const Graph>(std::move(graph))) {}

Master::~Master() = default;

Result<Executable*> Master::Prepare(const RunSignature& signature, bool optimize, bool for_check) {
  const bool keep_graphs = keep_bytes_ > 0 && (for_check || check_numerics_);
  const std::string key = KeyOf(signature, optimize, keep_graphs);
  DF_TRY(session_status());
  if (Executable* found = FindExecutable(key)) return found;
  MutexLock change(change_mu_);
  DF_TRY(session_status());
  if (Executable* found = FindExecutable(key)) return found;  // made by another thread meanwhile
  const std::shared_ptr<const Graph> graph = this->graph();
  const CompileOptions options = OptionsFor(optimize);
  SignatureCompiler compiler(*graph, runtime_, options, &next_channel_);
  return Compile(signature, key, keep_graphs, compiler);
}

Result<std::vector<Executable*>> Master::PrepareAll(std::span<const RunSignature> signatures) {
  const bool keep_graphs = keep_bytes_ > 0 && check_numerics_;
  MutexLock change(change_mu_);
  DF_TRY(session_status());
  const std::shared_ptr<const Graph> graph = this->graph();
  const CompileOptions options = OptionsFor(optimize_);
  SignatureCompiler compiler(*graph, runtime_, options, &next_channel_);
  std::vector<Executable*> executables;
  for (const RunSignature& signature : signatures) {
    const std::string key = KeyOf(signature, optimize_, keep_graphs);
    Executable* executable = FindExecutable(key);
    if (executable == nullptr) {
      DF_ASSIGN(executable, Compile(signature, key, keep_graphs, compiler));
    }
    executables.push_back(executable);
  }
  return executables;
}

CompileOptions Master::OptionsFor(bool optimize) const {
  return {.cluster = cluster_,
          .optimize = optimize,
          .soft_placement = soft_placement_,
          .compression = compression_,
          .without_passes = without_passes_};
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
  MutexLock change(change_mu_);
  DF_TRY(session_status());
  const std::shared_ptr<const Graph> old = graph();
  Graph extended = old->Clone();
  DF_TRY(add(extended));
  const SoftPlacement soft{cluster_, runtime_.kernels()};
  DF_TRY(PrepareSessionGraph(
      extended, {.soft = soft_placement_ ? &soft : nullptr, .session = session_id_, .first_node = old->num_nodes()}));
  DF_TRY(CheckStaysInPlace(*old, extended));
  MutexLock lock(mu_);
  graph_ = std::make_shared<const Graph>(std::move(extended));
  return Status();
}

Status Master::ResetContainers(const std::vector<std::string>& names) {
  MutexLock change(change_mu_);
  DF_TRY(session_status());
  PauseSteps();
  RetireParts();
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
  Status status;
  if (several_ranks_) {
    control::Message request;
    for (const std::string& name : names) request.mutable_reset_containers()->add_names(name);
    ControlRound round(runtime_);
    Broadcast(request, round);
    status = FinishRound(round, {});
  }
  ResumeSteps();
  return status;
}

Result<Executable*> Master::Compile(const RunSignature& signature, const std::string& key, bool keep_graphs,
                                    SignatureCompiler& compiler) {
  DF_ASSIGN(const SignatureCompiler::Partitions compiled, compiler.Compile(signature));
  const std::vector<Partition>& partitions = *compiled;
  if (on_compiled_) on_compiled_(signature, partitions);
  auto executable = std::make_unique<Executable>(runtime_.communicator().max_slots());
  executable->id = next_executable_++;
  executable->keep_graphs = keep_graphs;
  for (const Output& feed : signature.feeds) executable->feeds.push_back(OutputName(compiler.graph(), feed));
  executable->num_fetches = signature.fetches.size();
  std::vector<bool> is_idle(static_cast<size_t>(runtime_.size()), true);
  for (const Partition& partition : partitions) {
    executable->num_nodes += partition.graph.num_nodes();
    if (partition.graph.num_nodes() == 0) continue;
    is_idle[static_cast<size_t>(partition.rank)] = false;
    executable->devices.push_back(partition.device);
  }
  for (int rank = 0; rank < runtime_.size(); ++rank) {
    if (is_idle[static_cast<size_t>(rank)]) executable->idle_ranks.push_back(rank);
  }
  DF_TRY(Register(partitions, *executable));
  MutexLock lock(mu_);
  return (executables_[key] = std::move(executable)).get();
}

Status Master::Register(const std::vector<Partition>& partitions, Executable& executable) {
  if (!several_ranks_) return BuildOwn(partitions, executable);
  std::vector<control::Message> requests(runtime_.size());
  for (int rank = 1; rank < runtime_.size(); ++rank) {
    control::Register* const request = requests[rank].mutable_register_();
    DF_TRY(AddParts(partitions, rank, request));
    request->set_executable(executable.id);
    request->set_keep_graphs(executable.keep_graphs);
  }
  AddFiles(partitions, requests);
  const bool build_follows = FileAccess::Of(runtime_.cpu())->trusts_inputs() && ReadsLayouts(partitions);
  if (build_follows) {
    for (int rank = 1; rank < runtime_.size(); ++rank) requests[rank].mutable_register_()->set_build_follows(true);
    DF_TRY(AskOthers(requests));
    DF_TRY(FindLayouts(executable.id, requests));
  }
  ControlRound round(runtime_);
  SendToAll(round, requests);
  return FinishRound(round, StatusNow(BuildOwn(partitions, executable)));
}

Status Master::BuildOwn(const std::vector<Partition>& partitions, Executable& executable) {
  std::vector<const Partition*> own;
  for (const Partition& partition : partitions) {
    if (partition.rank == 0) own.push_back(&partition);
  }
  DF_ASSIGN(executable.part, BuildPart(runtime_, own, executable.keep_graphs));
  return Status();
}

void Master::SendToAll(ControlRound& round, std::vector<control::Message>& requests) {
  for (int rank = 1; rank < runtime_.size(); ++rank) {
    requests[rank].set_round(round.number());
    runtime_.control()->SendTo(rank, requests[rank]);
  }
}

Status Master::AskOthers(std::vector<control::Message>& requests) {
  ControlRound round(runtime_);
  SendToAll(round, requests);
  return FinishRound(round, StatusNow(Status()));
}

// Each file of which the ranks of a host know nothing is looked into by one of them. `requests` become those to build.
Status Master::FindLayouts(int64_t executable, std::vector<control::Message>& requests) {
  LayoutFinders finders(runtime_.control()->TakeLayouts());
  if (!finders.empty()) {
    for (int rank = 1; rank < runtime_.size(); ++rank) *requests[rank].mutable_find_layouts() = finders.RequestTo(rank);
    DF_TRY(AskOthers(requests));
    for (const control::Layouts& found : runtime_.control()->TakeLayouts()) finders.Take(found);
  }
  for (int rank = 1; rank < runtime_.size(); ++rank) {
    control::Build* const build = requests[rank].mutable_build();
    build->set_executable(executable);
    finders.AddFound(rank, *build);
  }
  return Status();
}

void Master::AddFiles(const std::vector<Partition>& partitions, std::vector<control::Message>& requests) {
  // A graph from others tells nothing about files that the user has not named.
  if (!FileAccess::Of(runtime_.cpu())->trusts_inputs()) return;
  const std::shared_ptr<const Graph> whole = graph();
  std::vector<DataFileUses> uses(requests.size());
  for (const Partition& partition : partitions) {
    if (partition.rank != 0) AddDataFiles(partition.graph, *whole, uses[partition.rank]);
  }
  std::map<std::string, Result<control::DataFile>> found;
  for (size_t rank = 1; rank < uses.size(); ++rank) {
    for (const auto& [path, layout] : uses[rank]) {
      if (!checked_files_.emplace(static_cast<int>(rank), path).second) continue;
      const auto it = found.try_emplace(path, LookAtDataFile(path, layout)).first;
      // A file that this rank cannot read, though others do, gives nothing to compare with.
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

Status Master::RunStep(Executable& executable, std::span<const Tensor> feeds, std::span<Tensor> fetches,
                       int64_t number) {
  if (ended_.load(std::memory_order_acquire)) return session_status();
  DF_TRY(CheckArgs(executable, feeds.size(), fetches.size()));
  DF_TRY(CheckFeeds(executable, feeds));
  StepRequest request{.number = number, .feeds = feeds, .fetches = fetches, .trace = trace()};
  if (executable.part->communicator == nullptr && !check_numerics_) {
    request.first_step = next_step_.fetch_add(1, std::memory_order_relaxed);
    return runtime_.runner().Run(*executable.part, request);
  }
  PendingStep step(*this, executable, request);
  return RunToEnd(step);
}

Result<std::unique_ptr<PendingStep>> Master::StartSteps(Executable& executable, int64_t steps,
                                                        std::span<const Tensor> feeds, int64_t number) {
  if (ended_.load(std::memory_order_acquire)) return session_status();
  DF_TRY(CheckArgs(executable, feeds.size(), executable.num_fetches));
  DF_TRY(CheckFeeds(executable, feeds));
  std::unique_ptr<PendingStep> step(
      new PendingStep(*this, executable, {.number = number, .steps = steps, .trace = trace()}));
  step->feeds_.assign(feeds.begin(), feeds.end());
  step->fetched_.resize(executable.num_fetches);
  step->request_.feeds = step->feeds_;
  step->request_.fetches = step->fetched_;
  DF_TRY(Ask(*step));
  return step;
}

void Master::WaitForAny(std::span<const std::unique_ptr<PendingStep>> steps) {
  const ControlPlane* const control = runtime_.control();
  runtime_.pool().HelpUntil([&] {
    if (control != nullptr && !control->network_status().ok()) return true;
    return std::any_of(steps.begin(), steps.end(), [](const auto& step) { return step != nullptr && step->ended(); });
  });
}

Status Master::RunSteps(Executable& executable, int64_t steps, NotFiniteRow& row, int64_t number) {
  DF_TRY(CheckArgs(executable, 0, 0));
  const auto stops = [&] { return runtime_.stop_signal() != 0 || row.is_full(); };
  for (int64_t done = 0; done < steps && !stops();) {
    if (ended_.load(std::memory_order_acquire)) return session_status();
    if (several_ranks_) {
      DF_ASSIGN(const int64_t now, RunSomeSteps(executable, steps - done, row, number + done));
      done += now;
    } else {
      const int64_t not_finite = steps_not_finite();
      DF_TRY(RunStep(executable, {}, {}, number + done));
      row.Add(steps_not_finite() == not_finite);
      ++done;
    }
  }
  return Status();
}

Status Master::CheckNumerics(const RunSignature& signature, bool optimize, std::span<Tensor> fetches) {
  DF_ASSIGN(Executable* const executable, Prepare(signature, optimize, /*for_check=*/true));
  DF_TRY(CheckArgs(*executable, 0, fetches.size()));
  NumericsCheck numerics(keep_bytes_);
  PendingStep step(*this, *executable, {.fetches = fetches, .numerics = &numerics});
  return RunToEnd(step);
}

Result<int64_t> Master::RunSomeSteps(Executable& executable, int64_t most, NotFiniteRow& row, int64_t number) {
  using Clock = std::chrono::steady_clock;
  // A request that fails alone has one step: all ranks must run the same steps, up to the one that failed.
  const bool may_fail_alone = error_scope_ == ErrorScope::kStep || check_numerics_;
  const int64_t at_once = may_fail_alone ? 1 : executable.steps_per_request.load();
  const int64_t steps = std::min(at_once, most);
  const Clock::time_point begin = Clock::now();
  PendingStep step(*this, executable, {.number = number, .steps = steps, .not_finite = row, .trace = trace()});
  DF_TRY(RunToEnd(step));
  row = step.run_->not_finite();
  const std::chrono::duration<double> step_time = (Clock::now() - begin) / static_cast<double>(steps);
  const double wanted = kRequestTime / std::max(step_time, std::chrono::duration<double>(1e-9));
  executable.steps_per_request = std::clamp(static_cast<int64_t>(wanted), int64_t{1}, kStepsPerRequest);
  return steps;
}

Status Master::TakeSlot(Executable& executable, int32_t* slot) {
  for (;;) {
    {
      MutexLock lock(mu_);
      DF_TRY(status_);
      if (!are_paused_ && executable.slots.any_free()) {
        *slot = executable.slots.Take();
        ++in_flight_;
        return Status();
      }
    }
    runtime_.pool().HelpUntil([&] {
      MutexLock lock(mu_);
      return !status_.ok() || (!are_paused_ && executable.slots.any_free());
    });
  }
}

void Master::ReturnSlot(const PendingStep& step) {
  MutexLock lock(mu_);
  step.executable_.slots.Return(step.request_.slot);
  --in_flight_;
}

void Master::PauseSteps() {
  {
    MutexLock lock(mu_);
    are_paused_ = true;
  }
  runtime_.pool().HelpUntil([&] {
    if (several_ranks_ && !runtime_.control()->network_status().ok()) return true;
    MutexLock lock(mu_);
    return in_flight_ == 0;
  });
}

// Retires the parts. Call while no step is in flight.
void Master::RetireParts() {
  std::vector<LocalExecutable*> parts;
  {
    MutexLock lock(mu_);
    for (const auto& [key, executable] : executables_) parts.push_back(executable->part.get());
  }
  for (LocalExecutable* part : parts) runtime_.runner().Retire(*part);
}

void Master::ResumeSteps() {
  {
    MutexLock lock(mu_);
    are_paused_ = false;
  }
  runtime_.pool().Notify();
}

Status Master::Ask(PendingStep& step) {
  StepRequest& request = step.request_;
  request.scope = several_ranks_ ? error_scope_ : ErrorScope::kSession;
  request.tell_memory = step.executable_.tells_memory;
  if (check_numerics_ && request.numerics == nullptr) request.numerics = &step.numerics_.emplace(keep_bytes_);
  DF_TRY(TakeSlot(step.executable_, &request.slot));
  StepRunner& runner = runtime_.runner();
  runner.WaitUntilQuiet(*step.executable_.part);
  bool begins = false;
  {
    // This rank too has the requests in the order in which they go out.
    MutexLock lock(request_mu_);
    request.first_step = next_step_.fetch_add(request.steps, std::memory_order_relaxed);
    if (several_ranks_) {
      request.round = runtime_.control()->NewRound({&PendingStep::AllEnded, &step});
      SendRequest(step);
    }
    step.run_ =
        std::make_shared<StepRun>(runner, *step.executable_.part, request, Callback{&PendingStep::OwnPartEnded, &step});
    begins = runner.Queue(step.run_);
  }
  const std::shared_ptr<StepRun> run = step.run_;  // the step may end before Begin() returns
  if (begins) run->Begin();
  return Status();
}

void Master::SendRequest(const PendingStep& step) {
  const StepRequest& request = step.request_;
  control::Message message;
  message.set_round(request.round);
  control::Run& run = *message.mutable_run();
  run.set_executable(step.executable_.id);
  run.set_first_step(request.first_step);
  run.set_number(request.number);
  run.set_steps(request.steps);
  run.set_slot(request.slot);
  run.set_trace(request.trace != nullptr);
  run.set_not_finite_before(request.not_finite.length);
  run.set_not_finite_limit(request.not_finite.limit);
  run.set_tell_memory(request.tell_memory);
  run.set_check_numerics(request.numerics != nullptr);
  run.set_keep_bytes(keep_bytes_);
  run.set_ends_alone(request.scope == ErrorScope::kStep);
  runtime_.control()->Broadcast(message);
}

void Master::OwnPartEnded(PendingStep& step) {
  if (!several_ranks_) return AllEnded(step);
  StepRunner& runner = runtime_.runner();
  const bool looked = step.request_.numerics != nullptr && step.own_.ok();
  const RankStatus told =
      looked ? runner.Found(*step.request_.numerics, *step.executable_.part) : runner.OwnFailure(*step.run_);
  const int64_t round = step.request_.round;
  step.own_ended_.store(true, std::memory_order_release);  // the step may be gone from here on
  runtime_.control()->Done(round, told);
}

void Master::AllEnded(PendingStep& step) {
  WorkerPool& pool = runtime_.pool();
  ReturnSlot(step);
  step.ended_.store(true, std::memory_order_release);  // the step may be gone from here on
  pool.Notify();
}

Status Master::RunToEnd(PendingStep& step) {
  DF_TRY(Ask(step));
  return Finish(step);
}

Status Master::Finish(PendingStep& step) {
  step.waited_ = true;
  ControlPlane* const control = runtime_.control();
  const auto lost = [&] {
    return control != nullptr && step.own_ended_.load(std::memory_order_acquire) && !control->network_status().ok();
  };
  runtime_.pool().HelpUntil([&] { return step.ended() || lost(); });
  if (!step.ended() && control->ForgetRound(step.request_.round)) {
    ReturnSlot(step);
    EndSession(control->network_status());
    return session_status();
  }
  runtime_.pool().HelpUntil([&] { return step.ended(); });
  TakeBack(step.request_.first_step + step.run_->steps_run(), step.request_.first_step + step.request_.steps);
  return StatusOf(step);
}

// Steps that were asked for and not run have no numbers, if no other step has begun since.
void Master::TakeBack(int64_t next, int64_t asked) {
  next_step_.compare_exchange_strong(asked, next, std::memory_order_relaxed);
}

Status Master::StatusOf(const PendingStep& step) {
  StepRunner& runner = runtime_.runner();
  if (!several_ranks_) {
    const bool looked = step.request_.numerics != nullptr && step.own_.ok();
    return looked ? runner.Found(*step.request_.numerics, *step.executable_.part).status : step.own_;
  }
  if (step.first_.ok() && step.own_.ok()) return Status();
  const Status& error = step.first_.ok() ? step.own_ : step.first_;
  const bool is_open = runner.failure().ok();
  if (is_open && (step.request_.scope == ErrorScope::kStep || error.code() == Code::kNotFinite)) return error;
  EndSession(error);
  return session_status();
}

void Master::Broadcast(control::Message& request, const ControlRound& round) {
  request.set_round(round.number());
  MutexLock lock(request_mu_);
  runtime_.control()->Broadcast(request);
}

Status Master::FinishRound(ControlRound& round, const RankStatus& own) {
  Status status = round.Finish(own);
  if (round.ended()) return status;
  EndSession(status);
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

Status Master::WriteCapture(const CaptureRequest& request) {
  MutexLock lock(change_mu_);
  if (!several_ranks_) return runtime_.runner().WriteFound(request, 0);
  control::Message message;
  control::WriteCapture& write = *message.mutable_write_capture();
  write.set_path(request.path);
  write.set_found(request.found);
  write.set_step(request.step);
  write.set_version(request.version);
  write.set_has_position(request.position.has_value());
  write.set_position(request.position.value_or(0));
  ControlRound round(runtime_);
  Broadcast(message, round);
  return FinishRound(round, StatusNow(runtime_.runner().WriteFound(request, 0)));
}

void Master::StartTrace() {
  runtime_.communicator().Trace(&runtime_.trace());
  tracing_ = true;
}

Status Master::WriteTrace(const std::string& prefix) {
  MutexLock lock(change_mu_);
  PauseSteps();
  tracing_ = false;
  runtime_.communicator().Trace(nullptr);
  const Trace trace = runtime_.trace().Take();
  std::optional<ControlRound> round;
  if (several_ranks_) {
    control::Message request;
    request.mutable_write_trace()->set_prefix(prefix);
    Broadcast(request, round.emplace(runtime_));
  }
  Status status = WriteChromeTrace(TracePath(prefix, 0), trace, 0);
  if (several_ranks_) status = FinishRound(*round, StatusNow(status));
  ResumeSteps();
  return status;
}

Status Master::Close() {
  MutexLock change(change_mu_);
  if (!session_status().ok()) return Status();
  EndSession(FailedPrecondition("the session is closed"));
  PauseSteps();
  Status status;
  if (several_ranks_) {
    control::Message request;
    request.mutable_close();
    ControlRound round(runtime_);
    Broadcast(request, round);
    status = round.Finish({});
  }
  RetireParts();
  MutexLock lock(mu_);
  executables_.clear();
  return status;
}

}  // namespace dfrun
