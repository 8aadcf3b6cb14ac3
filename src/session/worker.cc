#include "src/session/worker.h"

#include <map>
#include <optional>
#include <utility>

#include "src/executor/step/worker_pool.h"
#include "src/graph/graph_def/graph_def.h"
#include "src/session/compile.h"
#include "src/session/control/control.pb.h"
#include "src/session/control/control_devices.h"
#include "src/session/control/control_error.h"
#include "src/session/control/control_plane.h"
#include "src/session/data_files.h"
#include "src/session/data_layouts.h"
#include "src/session/grace_period_watchdog.h"
#include "src/session/step_runner.h"
#include "src/session/trace/chrome_trace.h"

namespace dfrun {

// Steps that rank 0 has asked for; ends with them.
class RunRequestHandler {
 public:
  // `keep_bytes`: of the check of values, if it is asked for.
  static void Start(Runtime& runtime, LocalExecutable& part, StepRequest request, std::optional<int64_t> keep_bytes) {
    auto* served = new RunRequestHandler(runtime);
    if (keep_bytes) request.numerics = &served->numerics_.emplace(*keep_bytes);
    const auto run =
        std::make_shared<StepRun>(runtime.runner(), part, request, Callback{&RunRequestHandler::Ended, served});
    served->run_ = run;
    if (runtime.runner().Queue(run)) run->Begin();
  }

 private:
  explicit RunRequestHandler(Runtime& runtime) : runtime_(runtime) {}

  static void Ended(void* arg, Status status) {
    const std::unique_ptr<RunRequestHandler> self(static_cast<RunRequestHandler*>(arg));
    StepRunner& runner = self->runtime_.runner();
    const bool looked = self->numerics_.has_value() && status.ok();
    if (self->run_->request().tell_memory) self->TellMemory();
    const RankStatus told =
        looked ? runner.Found(*self->numerics_, self->run_->part()) : runner.OwnFailure(*self->run_);
    self->runtime_.control()->Done(self->run_->request().round, told);
  }
  void TellMemory() const {
    control::Devices devices;
    ToProto(runtime_.MemoryReport(), runtime_.rank(), &devices);
    const WaitedTime waited = runtime_.TimeWaited();
    devices.set_waited_ns(waited.waited_ns);
    devices.set_clock_ns(waited.clock_ns);
    runtime_.control()->Report(devices);
  }

  Runtime& runtime_;
  std::shared_ptr<StepRun> run_;
  std::optional<NumericsCheck> numerics_;
};

// Thread safety: one thread. Steps that it has started may be run by others.
class Worker::Impl {
 public:
  explicit Impl(Runtime& runtime) : runtime_(runtime) {}

  Status Serve();

 private:
  // Returns false when the network has failed.
  bool WaitForRequest(control::Message* request);
  RankStatus Handle(const control::Message& request);
  void StartRun(const control::Message& request);
  Status StartTask(const control::StartTask& request);
  Status CheckFiles(const control::Register& request);
  Status Register(const control::Register& request);
  void ReportUnknown();
  void FindLayouts(const control::FindLayouts& request);
  Status Build(int64_t executable, std::vector<Partition>& partitions, bool keep_graphs);
  Status BuildAwaited(const control::Build& request);
  void DropParts();
  Status WriteTrace(const control::WriteTrace& request);
  Status WriteCapture(const control::WriteCapture& request);
  void ResetContainers(const control::ResetContainers& request);
  void Flush();

  Runtime& runtime_;
  std::map<int64_t, std::unique_ptr<LocalExecutable>> parts_;  // by executable
  // The part of the last Register, until its Build comes.
  std::vector<Partition> awaiting_;
  bool keeps_awaiting_ = false;  // Register::keep_graphs of these
  SameFiles same_files_;         // the files that rank 0 has told of, with all executables
  DataLayouts layouts_;
};

bool Worker::Impl::WaitForRequest(control::Message* request) {
  ControlPlane& control = *runtime_.control();
  bool got = false;
  runtime_.pool().HelpUntil([&] {
    if (!got) got = control.NextRequest(request);
    return got || !control.network_status().ok();
  });
  return got;
}

Status Worker::Impl::Serve() {
  control::Message request;
  while (WaitForRequest(&request)) {
    if (request.has_shutdown()) {
      Flush();
      return FromProto(request.shutdown().status()).status;
    }
    if (request.has_run()) {
      StartRun(request);
    } else {
      runtime_.control()->Done(request.round(), Handle(request));
    }
  }
  // Other threads may be at the steps of a session that has failed, and the parts go with this.
  StepRunner& runner = runtime_.runner();
  if (!runner.failure().ok()) runtime_.pool().HelpUntil([&] { return !runner.is_in_step(); });
  return runtime_.control()->network_status();
}

void Worker::Impl::Flush() {
  runtime_.pool().HelpUntil(
      [&] { return runtime_.communicator().ControlFlushed() || !runtime_.network_status().ok(); });
}

RankStatus Worker::Impl::Handle(const control::Message& request) {
  switch (request.kind_case()) {
    case control::Message::kStartTask:
      return StatusNow(StartTask(request.start_task()));
    case control::Message::kRegister:
      return StatusNow(Register(request.register_()).Annotate(runtime_.runner().rank_text()));
    case control::Message::kFindLayouts:
      FindLayouts(request.find_layouts());
      return {};
    case control::Message::kBuild:
      return StatusNow(BuildAwaited(request.build()).Annotate(runtime_.runner().rank_text()));
    case control::Message::kWriteTrace:
      return StatusNow(WriteTrace(request.write_trace()));
    case control::Message::kWriteCapture:
      return StatusNow(WriteCapture(request.write_capture()).Annotate(runtime_.runner().rank_text()));
    case control::Message::kClose:
      DropParts();
      return {};
    case control::Message::kResetContainers:
      ResetContainers(request.reset_containers());
      return {};
    default:
      return StatusNow(Internal("rank ", runtime_.rank(), " got a request that it does not know"));
  }
}

Status Worker::Impl::StartTask(const control::StartTask& request) {
  const control::StartTask::Files& files = request.files();
  FileRules rules{.is_confined = files.is_confined(), .trusts_inputs = files.trusts_inputs(), .roots = {}};
  rules.roots.assign(files.roots().begin(), files.roots().end());
  rules.write_roots.assign(files.write_roots().begin(), files.write_roots().end());
  rules.run_directory = files.run_directory();
  rules.may_replace = files.may_replace();
  rules.begin_ns = files.begin_ns();
  if (runtime_.stop() != nullptr) runtime_.stop()->SetSaves(request.saves());
  MemoryLimits limits;
  for (const control::StartTask::MemoryLimit& limit : request.memory_limits()) {
    limits[limit.type()] = {.bytes = limit.bytes(), .share = limit.share()};
  }
  DF_TRY(runtime_.StartTask(request.job(), request.task(), rules, limits));
  control::Devices devices;
  ToProto(runtime_.devices_report(), runtime_.rank(), &devices);
  runtime_.control()->Report(devices);
  return Status();
}

Status Worker::Impl::CheckFiles(const control::Register& request) {
  for (const control::DataFile& file : request.files()) {
    DF_ASSIGN(same_files_[file.path()], CheckDataFile(file));
  }
  return Status();
}

Status Worker::Impl::Register(const control::Register& request) {
  awaiting_.clear();
  DF_TRY(CheckFiles(request));
  std::vector<Partition> partitions;
  partitions.reserve(static_cast<size_t>(request.parts_size()));
  for (const control::Register::Part& part : request.parts()) {
    DF_ASSIGN(Graph graph, ImportGraphDef(part.graph_def(), GraphDefFormat::kBinary));
    partitions.push_back({part.device(), runtime_.rank(), std::move(graph)});
  }
  if (!request.build_follows()) return Build(request.executable(), partitions, request.keep_graphs());
  awaiting_ = std::move(partitions);
  keeps_awaiting_ = request.keep_graphs();
  ReportUnknown();
  return Status();
}

void Worker::Impl::ReportUnknown() {
  control::Layouts unknown;
  for (const Partition& part : awaiting_) layouts_.AddUnknown(part.graph, same_files_, unknown);
  if (unknown.files().empty()) return;
  unknown.set_rank(runtime_.rank());
  runtime_.control()->Report(unknown);
}

void Worker::Impl::FindLayouts(const control::FindLayouts& request) {
  if (request.files().empty()) return;
  control::Layouts found = layouts_.Find(request.files());
  found.set_rank(runtime_.rank());
  runtime_.control()->Report(found);
}

Status Worker::Impl::Build(int64_t executable, std::vector<Partition>& partitions, bool keep_graphs) {
  std::vector<const Partition*> own;
  own.reserve(partitions.size());
  for (Partition& partition : partitions) {
    layouts_.Adopt(partition.graph);
    own.push_back(&partition);
  }
  DF_ASSIGN(parts_[executable], BuildPart(runtime_, own, keep_graphs));
  return Status();
}

Status Worker::Impl::BuildAwaited(const control::Build& request) {
  for (const control::Layouts::File& file : request.files()) layouts_.Know(file);
  std::vector<Partition> partitions;
  std::swap(partitions, awaiting_);
  return Build(request.executable(), partitions, keeps_awaiting_);
}

void Worker::Impl::StartRun(const control::Message& request) {
  const control::Run& run = request.run();
  const auto it = parts_.find(run.executable());
  if (it == parts_.end()) {
    const Status unknown = Internal("executable ", run.executable(), " is not registered");
    return runtime_.control()->Done(request.round(), StatusNow(unknown));
  }
  runtime_.runner().WaitUntilQuiet(*it->second);
  if (run.trace()) runtime_.communicator().Trace(&runtime_.trace());
  RunRequestHandler::Start(runtime_, *it->second,
                           {.round = request.round(),
                            .first_step = run.first_step(),
                            .number = run.number(),
                            .steps = run.steps(),
                            .slot = run.slot(),
                            .scope = run.ends_alone() ? ErrorScope::kStep : ErrorScope::kSession,
                            .not_finite = {.length = run.not_finite_before(), .limit = run.not_finite_limit()},
                            .tell_memory = run.tell_memory(),
                            .trace = run.trace() ? &runtime_.trace() : nullptr},
                           run.check_numerics() ? std::optional<int64_t>(run.keep_bytes()) : std::nullopt);
}

// Drops all parts. No step is in flight: rank 0 has waited for all.
void Worker::Impl::DropParts() {
  for (const auto& [executable, part] : parts_) runtime_.runner().Retire(*part);
  parts_.clear();
  awaiting_.clear();
}

Status Worker::Impl::WriteTrace(const control::WriteTrace& request) {
  runtime_.communicator().Trace(nullptr);
  return WriteChromeTrace(TracePath(request.prefix(), runtime_.rank()), runtime_.trace().Take(), runtime_.rank());
}

Status Worker::Impl::WriteCapture(const control::WriteCapture& request) {
  CaptureRequest capture{
      .path = request.path(), .found = request.found(), .step = request.step(), .version = request.version()};
  if (request.has_position()) capture.position = request.position();
  return runtime_.runner().WriteFound(capture, runtime_.rank());
}

void Worker::Impl::ResetContainers(const control::ResetContainers& request) {
  DropParts();
  for (const auto& device : runtime_.devices()) {
    for (const std::string& name : request.names()) device->containers().Reset(name);
  }
}

Worker::Worker(Runtime& runtime) : impl_(std::make_unique<Impl>(runtime)) {}
Worker::~Worker() = default;

Status Worker::Serve() {
  return impl_->Serve();
}

Status Shutdown(Runtime& runtime, const Status& status) {
  if (runtime.size() == 1) return status;
  control::Message request;
  ToProto({status, 0}, request.mutable_shutdown()->mutable_status());
  runtime.control()->Broadcast(request);
  runtime.pool().HelpUntil(
      [&] { return runtime.communicator().ControlFlushed() || !runtime.control()->network_status().ok(); });
  return status;
}

}  // namespace dfrun
