#include "src/session/runtime.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "src/base/host/host_name.h"
#include "src/base/report_request.h"
#include "src/executor/step/worker_pool.h"
#include "src/session/control/control.pb.h"
#include "src/session/control/control_devices.h"
#include "src/session/control/control_plane.h"
#include "src/session/grace_period_watchdog.h"
#include "src/session/rank_report.h"
#include "src/session/report_writer.h"
#include "src/session/stall_watch.h"
#include "src/session/step_runner.h"

namespace dfrun {
namespace {

std::string NameOfHost() {
  const std::string name = HostName();
  return name.empty() ? "of unknown name" : name;
}

}  // namespace

Runtime::Runtime(const RuntimeOptions& options, std::unique_ptr<Communicator> communicator)
    : options_(options),
      rank_(communicator->rank()),
      size_(communicator->size()),
      communicator_(std::move(communicator)),
      reports_(static_cast<size_t>(size_)),
      times_(static_cast<size_t>(size_)),
      pool_(std::make_unique<WorkerPool>(options.threads)) {
  if (size_ > 1) {
    control_ = std::make_unique<ControlPlane>(*communicator_, options_.watch, [this] { pool_->Notify(); });
    control_->OnStop([this](int signal) { TakeStop(signal); });
    control_->OnReport([this](const control::Devices& devices) { TakeReport(devices); });
    pool_->SetPollHook(
        [this] {
          ShareStop();
          if (has_loss_.load(std::memory_order_acquire)) TakeLoss();
          return communicator_->Poll();
        },
        {.descriptors = communicator_->wake_descriptors(),
         .arm = [this] { return communicator_->ArmWake(); },
         .sleeps = !options_.ranks_are_threads});
  }
  runner_ = std::make_unique<StepRunner>(*pool_, control_.get(), StrCat("rank ", rank_, " (host ", NameOfHost(), ")"));
  if (options_.watch != nullptr) AttachToWatch();
}

Runtime::~Runtime() {
  if (options_.watch != nullptr) options_.watch->Detach();
}

Result<std::unique_ptr<Runtime>> Runtime::Create(const RuntimeOptions& options,
                                                 std::unique_ptr<Communicator> communicator) {
  if (options.threads < 0) {
    return InvalidArgument("a rank cannot have ", options.threads, " threads; 0 is one for each core");
  }
  return std::unique_ptr<Runtime>(new Runtime(options, std::move(communicator)));
}

DeviceSite Runtime::SiteOf(const DeviceName& task, const MemoryLimits& limits) const {
  DeviceSite site{.task = task, .network_memory = communicator_->network_memory(), .memory_limits = limits};
  const std::vector<std::string>& hosts = options_.hosts;
  if (hosts.empty()) return site;
  const auto own = hosts.begin() + rank_;
  site.rank_on_host = static_cast<int>(std::count(hosts.begin(), own, *own));
  site.ranks_on_host = static_cast<int>(std::count(hosts.begin(), hosts.end(), *own));
  return site;
}

Status Runtime::StartTask(const std::string& job, int number, const FileRules& files, const MemoryLimits& limits) {
  DeviceName task;
  task.job = job;
  task.task = number;
  const bool has_started = !found_.devices.empty();
  if (has_started && !(task == task_)) {
    return FailedPrecondition("rank ", rank_, " is ", task_.ToString(), " and cannot become ", task.ToString(),
                              ": all sessions of a run have the same cluster");
  }
  if (!has_started) {
    Result<TaskDevices> found = FindDevices(SiteOf(task, limits));
    DF_TRY(found.status().Annotate(runner_->rank_text()));
    found_ = *std::move(found);
    task_ = task;
  }
  FileRules rules = files;
  rules.rank = rank_;
  for (const auto& device : found_.devices) FileAccess::Set(*device, rules);
  return Status();
}

int Runtime::stop_signal() const {
  return options_.stop == nullptr ? 0 : options_.stop->signal();
}

void Runtime::ShareStop() {
  const int signal = stop_signal();
  if (signal == 0 || shared_stop_) return;
  shared_stop_ = true;
  control_->Stop(signal);
}

void Runtime::AttachToWatch() {
  RankWatch& watch = *options_.watch;
  if (rank_ == 0) {
    writer_ = std::make_unique<ReportWriter>();
    stall_ = std::make_unique<StallWatch>(
        watch,
        StallOptions{
            .after = std::chrono::duration<double>(options_.stall_s),
            .ranks = size_,
            .is_in_step =
                [this] { return runner_->is_in_step() || (control_ != nullptr && control_->has_open_round()); },
            .progress =
                [this] { return runner_->steps_begun() + (control_ != nullptr ? control_->rounds_opened() : 0); },
            .say = [this](const std::string& report) { writer_->Write(report); },
            .on_stuck = [this](const Status& stuck) { OnStuck(stuck); }});
  }
  watch.Attach({.on_lost = [this](const Status& loss) { Lose(loss); },
                .on_tick =
                    [this] {
                      if (TakeReportRequest()) options_.watch->Request();
                      if (stall_ != nullptr) stall_->OnTick();
                    },
                .on_question =
                    [this] {
                      const ReportSource source{rank_, NameOfHost(), runner_->steps_begun(), parts_, *pool_};
                      return MakeRankReport(source).SerializeAsString();
                    },
                .on_answer = [this](int64_t question, int rank,
                                    const std::string& answer) { stall_->OnAnswer(question, rank, answer); },
                .on_request = [this] { stall_->OnRequest(); }});
}

void Runtime::OnStuck(const Status& stuck) {
  if (!options_.on_stuck) return writer_->Write(stuck.message());
  if (size_ > 1) Lose(stuck);
  options_.on_stuck(stuck);
}

void Runtime::Lose(const Status& loss) {
  {
    MutexLock lock(loss_mu_);
    if (!loss_.ok()) return;
    loss_ = loss;
  }
  has_loss_.store(true, std::memory_order_release);
  pool_->Notify();
}

// Ends the running steps after a loss. It must not run on the watch's thread, because the end of a step drives the
// network.
void Runtime::TakeLoss() {
  has_loss_.store(false, std::memory_order_relaxed);
  Status loss;
  {
    MutexLock lock(loss_mu_);
    loss = loss_;
  }
  runner_->FailSession({loss, 0}, /*here=*/false);
  control_->SetLost(loss);  // after FailSession(): a thread that finds waiting vain then waits for the steps that end
                            // here
  pool_->Notify();
}

Status Runtime::network_status() const {
  return control_ == nullptr ? communicator_->network_status() : control_->network_status();
}

void Runtime::TakeStop(int signal) {
  if (options_.stop == nullptr) return;
  if (rank_ == 0) {
    options_.stop->request().Make(signal);
  } else {
    shared_stop_ = true;
    options_.stop->Disarm();
    options_.stop->request().Make(signal);  // this rank ends by the same code
  }
}

void Runtime::TakeReport(const control::Devices& devices) {
  const auto rank = static_cast<size_t>(devices.rank());
  MutexLock lock(reports_mu_);
  if (rank >= reports_.size()) return;
  reports_[rank] = FromProto(devices);
  times_[rank] = {.waited_ns = devices.waited_ns(), .clock_ns = devices.clock_ns()};
}

std::vector<DevicesReport> Runtime::ReportsOfRanks() const {
  MutexLock lock(reports_mu_);
  std::vector<DevicesReport> reports = reports_;
  reports[0] = MemoryReport();
  return reports;
}

DevicesReport Runtime::MemoryReport() const {
  DevicesReport report = found_.report;
  for (size_t i = 0; i < report.devices.size(); ++i) report.devices[i].memory = MemoryOf(*found_.devices[i]);
  return report;
}

WaitedTime Runtime::TimeWaited() const {
  const std::chrono::nanoseconds now = std::chrono::steady_clock::now().time_since_epoch();
  return {.waited_ns = pool_->idle_ns(), .clock_ns = now.count()};
}

std::vector<WaitedTime> Runtime::TimesWaited() const {
  MutexLock lock(reports_mu_);
  std::vector<WaitedTime> times = times_;
  times[0] = TimeWaited();
  return times;
}

Device* Runtime::FindDevice(std::string_view full_name) const {
  const auto it = std::find_if(devices().begin(), devices().end(),
                               [&](const auto& device) { return device->full_name() == full_name; });
  return it == devices().end() ? nullptr : it->get();
}

}  // namespace dfrun
