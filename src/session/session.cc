#include "src/session/session.h"

#include "src/base/log.h"
#include "src/graph/named_node.h"
#include "src/session/master.h"
#include "src/session/session_graph.h"
#include "src/session/start_tasks.h"

namespace dfrun {
namespace {

Status CheckPrepared(Session::Handle handle) {
  return handle != nullptr ? Status() : InvalidArgument("a step is run by a handle from Prepare(); this one is null");
}

}  // namespace

Session::Session(std::unique_ptr<Master> master) : master_(std::move(master)) {}

Result<std::unique_ptr<Session>> Session::Create(Runtime& runtime, Graph graph, const SessionOptions& options) {
  DF_TRY(runtime.runner().failure());
  DF_ASSIGN(Cluster cluster, StartTasks(runtime, options));
  const int64_t id = runtime.NewSessionId();
  const SoftPlacement soft{cluster, runtime.kernels()};
  DF_TRY(PrepareSessionGraph(graph, {.soft = options.soft_placement ? &soft : nullptr, .session = id}));
  auto master = std::make_unique<Master>(runtime, std::move(graph), std::move(cluster), options, id);
  return std::unique_ptr<Session>(new Session(std::move(master)));
}

Session::~Session() {
  const Status closed = Close();
  if (!closed.ok()) {
    DF_LOG(kWarning) << "closing a session: " << closed.ToString();
  }
}

Result<RunSignature> Session::SignatureOf(const std::vector<std::string>& feeds,
                                          const std::vector<std::string>& fetches,
                                          const std::vector<std::string>& targets) const {
  const std::shared_ptr<const Graph> graph = master_->graph();
  RunSignature signature;
  for (const std::string& name : feeds) {
    DF_ASSIGN(const Output feed, graph->ParseOutput(name));
    signature.feeds.push_back(feed);
  }
  for (const std::string& name : fetches) {
    DF_ASSIGN(const Output fetch, graph->ParseOutput(name));
    signature.fetches.push_back(fetch);
  }
  for (const std::string& name : targets) {
    const Result<NodeId> target = NamedNode(*graph, name);
    if (!target.ok()) return target.status().Annotate("target");
    signature.targets.push_back(*target);
  }
  return signature;
}

Result<std::vector<Tensor>> Session::Run(const std::vector<std::pair<std::string, Tensor>>& feeds,
                                         const std::vector<std::string>& fetches,
                                         const std::vector<std::string>& targets) {
  std::vector<std::string> names;
  std::vector<Tensor> values;
  for (const auto& [name, value] : feeds) {
    names.push_back(name);
    values.push_back(value);
  }
  DF_ASSIGN(RunSignature signature, SignatureOf(names, fetches, targets));
  for (const Tensor& value : values) signature.feed_shapes.emplace_back(value.shape());
  DF_ASSIGN(const Handle step, Prepare(signature));
  std::vector<Tensor> fetched(fetches.size());
  DF_TRY(RunStep(step, values, fetched));
  return fetched;
}

Result<Session::Handle> Session::Prepare(const std::vector<std::string>& feeds, const std::vector<std::string>& fetches,
                                         const std::vector<std::string>& targets) {
  DF_ASSIGN(const RunSignature signature, SignatureOf(feeds, fetches, targets));
  return Prepare(signature);
}

Status Session::Extend(std::string_view graph_def, GraphDefFormat format) {
  return Extend([&](Graph& graph) { return ExtendGraph(graph, graph_def, format); });
}

Status Session::Extend(const std::function<Status(Graph&)>& add) {
  return master_->Extend(add);
}

Status Session::ResetContainers(const std::vector<std::string>& names) {
  return master_->ResetContainers(names.empty() ? std::vector<std::string>{""} : names);
}

Result<Session::Handle> Session::Prepare(const RunSignature& signature) {
  return master_->Prepare(signature, master_->optimizes());
}

Result<std::vector<Session::Handle>> Session::PrepareAll(std::span<const RunSignature> signatures) {
  return master_->PrepareAll(signatures);
}

Status Session::RunStep(Handle handle, std::span<const Tensor> feeds, std::span<Tensor> fetches, int64_t number) {
  DF_TRY(CheckPrepared(handle));
  return master_->RunStep(*handle, feeds, fetches, number);
}

Result<std::unique_ptr<PendingStep>> Session::StartStep(Handle handle, std::span<const Tensor> feeds, int64_t number) {
  DF_TRY(CheckPrepared(handle));
  return master_->StartSteps(*handle, 1, feeds, number);
}

Result<std::unique_ptr<PendingStep>> Session::StartSteps(Handle handle, int64_t steps) {
  DF_TRY(CheckPrepared(handle));
  if (steps < 1) return InvalidArgument("a number of steps to begin is at least 1, not ", steps);
  return master_->StartSteps(*handle, steps, {}, 0);
}

void Session::WaitForAny(std::span<const std::unique_ptr<PendingStep>> steps) {
  master_->WaitForAny(steps);
}

Status Session::RunSteps(Handle handle, int64_t steps, NotFiniteRow* row, int64_t number) {
  DF_TRY(CheckPrepared(handle));
  if (steps < 0) return InvalidArgument("a number of steps to run is at least 0, not ", steps);
  NotFiniteRow none;
  return master_->RunSteps(*handle, steps, row == nullptr ? none : *row, number);
}

int64_t Session::steps_not_finite() const {
  return master_->steps_not_finite();
}

int32_t Session::TakeFirstNotFinite() {
  return master_->TakeFirstNotFinite();
}

Status Session::CheckNumerics(const RunSignature& signature, bool optimize, std::span<Tensor> fetches) {
  return master_->CheckNumerics(signature, optimize, fetches);
}

Status Session::WriteCapture(const CaptureRequest& request) {
  return master_->WriteCapture(request);
}

void Session::TellMemoryAfter(Handle handle) {
  handle->tells_memory = true;
}

RanksUse Session::UseOfRanks() const {
  RanksUse use;
  for (const DevicesReport& report : master_->ReportsOfRanks()) {
    for (const DeviceReport& device : report.devices) {
      if (!device.memory.device.empty()) use.memory.push_back(device.memory);
    }
  }
  use.waited = master_->TimesWaited();
  return use;
}

void Session::StartTrace() {
  master_->StartTrace();
}

Status Session::WriteTrace(const std::string& prefix) {
  return master_->WriteTrace(prefix);
}

const Graph& Session::graph() const {
  return *master_->graph();
}

int64_t Session::num_nodes(Handle handle) const {
  return handle->num_nodes;
}

const std::vector<int>& Session::idle_ranks(Handle handle) const {
  return handle->idle_ranks;
}

const std::vector<std::string>& Session::devices(Handle handle) const {
  return handle->devices;
}

int64_t Session::steps_run() const {
  return master_->steps_run();
}

Status Session::Close() {
  return master_->Close();
}

}  // namespace dfrun
