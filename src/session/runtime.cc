#include "src/session/runtime.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "src/executor/worker_pool.h"
#include "src/session/control_plane.h"
#include "src/session/step_runner.h"
#include "src/session/stop_guard.h"

namespace dfrun {
namespace {

std::string HostName() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "of unknown name";
}

}  // namespace

Runtime::Runtime(const RuntimeOptions& options, std::unique_ptr<Communicator> communicator)
    : options_(options),
      rank_(communicator->rank()),
      size_(communicator->size()),
      communicator_(std::move(communicator)),
      pool_(std::make_unique<WorkerPool>(options.threads)) {
  if (size_ > 1) {
    control_ = std::make_unique<ControlPlane>(*communicator_, [this] { pool_->Notify(); });
    control_->OnStop([this](int signal) { TakeStop(signal); });
    pool_->SetPollHook([this] {
      ShareStop();
      return communicator_->Poll();
    });
  }
  runner_ = std::make_unique<StepRunner>(*pool_, control_.get(), StrCat("rank ", rank_, " (host ", HostName(), ")"));
}

Runtime::~Runtime() = default;

Result<std::unique_ptr<Runtime>> Runtime::Create(const RuntimeOptions& options,
                                                 std::unique_ptr<Communicator> communicator) {
  if (options.threads < 0) {
    return InvalidArgument("a rank cannot have ", options.threads, " threads; 0 is one for each core");
  }
  return std::unique_ptr<Runtime>(new Runtime(options, std::move(communicator)));
}

Status Runtime::StartTask(const std::string& job, int number, const FileRules& files) {
  DeviceName task;
  task.job = job;
  task.task = number;
  if (!devices_.empty() && !(task == task_)) {
    return FailedPrecondition("rank ", rank_, " is ", task_.ToString(), " and cannot become ", task.ToString(),
                              ": all sessions of a run have the same cluster");
  }
  if (devices_.empty()) {
    DF_ASSIGN(devices_, MakeDevices(task));
    task_ = task;
  }
  for (const auto& device : devices_) FileAccess::Set(*device, files);
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

void Runtime::TakeStop(int signal) {
  if (options_.stop == nullptr) return;
  if (rank_ == 0) {
    options_.stop->request().Make(signal);
  } else {
    options_.stop->Disarm();
  }
}

Device* Runtime::FindDevice(std::string_view full_name) const {
  auto it = std::find_if(devices_.begin(), devices_.end(), [&](const auto& d) { return d->full_name() == full_name; });
  return it == devices_.end() ? nullptr : it->get();
}

}  // namespace dfrun
