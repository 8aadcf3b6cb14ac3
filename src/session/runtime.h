// Runtime: one rank, with its devices, registries, thread pool and communication. It owns everything else, so that a
// process may hold several ranks (tests, simulation).
//
//   DF_ASSIGN(auto group, comm::ProcessGroup::Join({.threads = threads}));   // jobs/: comm/bootstrap/process_group.h
//   DF_ASSIGN(auto communicator, group->Connect());             // tests: comm::ConnectInProcess(ranks)
//   DF_ASSIGN(auto runtime, Runtime::Create(options, std::move(communicator)));
//   if (runtime->rank() != 0) return Worker(*runtime).Serve();
//   DF_ASSIGN(auto session, Session::Create(*runtime, std::move(graph), session_options));
//   ...
//   return Shutdown(*runtime);
#ifndef DFRUN_SRC_SESSION_RUNTIME_H_
#define DFRUN_SRC_SESSION_RUNTIME_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/mutex.h"
#include "src/collectives/choice.h"
#include "src/executor/plan/plan.h"
#include "src/framework/communication/communicator.h"
#include "src/framework/communication/rank_watch.h"
#include "src/framework/device/device.h"
#include "src/framework/device/device_factory.h"
#include "src/framework/kernel/kernel_registry.h"
#include "src/session/part_list.h"
#include "src/session/trace/step_trace.h"
#include "src/session/waited_time.h"
#include "src/storage/file_access.h"

namespace dfrun {

namespace control {
class Devices;  // src/session/control/control.proto
}

class ControlPlane;
class ReportWriter;
class StallWatch;
class GracePeriodWatchdog;
class StepRunner;
class WorkerPool;

struct RuntimeOptions {
  // Threads that run kernels, the caller of steps included; 1: that thread does everything, 0: one for each core that
  // this process may run on.
  int threads = 1;
  const KernelRegistry* kernels = &KernelRegistry::Builtin();
  // PlanOptions::loop_programs.
  bool loop_programs = true;
  // PlanOptions::records and explain.
  bool records = true;
  std::function<void(const std::string&)> explain = {};
  // Whether the ranks are threads of one process, of which one runs until it polls.
  bool ranks_are_threads = false;
  // The implementation of collectives; rank 0's option counts.
  CollectivesOption collectives = CollectivesOption::kAuto;
  std::vector<std::string> hosts = {};  // by rank; empty: not known
  // This rank's stop guard; it outlives the runtime. Null: nobody asks the rank to stop.
  GracePeriodWatchdog* stop = nullptr;
  // This rank's watch; it outlives the runtime. Null: the death of a rank is not noticed.
  RankWatch* watch = nullptr;
  // Rank 0, with a watch: after so many seconds without the end of a step it reports what all ranks wait for; 0: never.
  double stall_s = 0;
  // Rank 0: called on the watch's thread, once, when no step will ever go on; the steps of several ranks then end with
  // this error. Empty: it is only reported.
  std::function<void(const Status& stuck)> on_stuck = {};
};

// Thread safety: const methods from any thread; StartTask() before the first step.
// Lifetime: the runtime must outlive the sessions and workers on it.
class Runtime {
 public:
  // `communicator` is one of comm/.
  static Result<std::unique_ptr<Runtime>> Create(const RuntimeOptions& options,
                                                 std::unique_ptr<Communicator> communicator);
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  const KernelRegistry& kernels() const { return *options_.kernels; }
  // The options of every plan.
  PlanOptions plan_options() const {
    return {.loop_programs = options_.loop_programs, .records = options_.records, .explain = options_.explain};
  }
  CollectivesOption collectives() const { return options_.collectives; }
  const std::vector<std::string>& hosts() const { return options_.hosts; }
  Communicator& communicator() const { return *communicator_; }
  WorkerPool& pool() const { return *pool_; }
  StepRunner& runner() const { return *runner_; }
  // The parts of executables on this rank.
  PartList& parts() { return parts_; }
  // Returns null where there is one rank.
  ControlPlane* control() const { return control_.get(); }
  // The trace of this rank, used by one session at a time.
  StepTrace& trace() { return trace_; }

  // Finds this rank's devices, named as this task. A second call must name the same task: variables live on. The ops on
  // the devices open files by the rules of the last call; `limits` are those of the first.
  Status StartTask(const std::string& job, int task, const FileRules& files = {}, const MemoryLimits& limits = {});
  // Returns a number that no other session of this runtime has.
  int64_t NewSessionId() { return next_session_.fetch_add(1, std::memory_order_relaxed); }

  // The signal by which this rank, or on rank 0 any rank, is asked to stop; 0: none.
  int stop_signal() const;
  GracePeriodWatchdog* stop() const { return options_.stop; }
  // The error that cannot be mended: the network has failed, or a rank is lost. OK if there is none.
  Status network_status() const;

  // Empty before StartTask().
  const DeviceList& devices() const { return found_.devices; }
  const DevicesReport& devices_report() const { return found_.report; }
  // The report with the current contents of the devices' memory.
  DevicesReport MemoryReport() const;
  // Rank 0: the last report of every rank, by rank. Call after StartTasks() (src/session/start_tasks.h).
  std::vector<DevicesReport> ReportsOfRanks() const EXCLUDES(reports_mu_);
  // The time that this rank has waited so far.
  WaitedTime TimeWaited() const;
  // Rank 0: the last that every rank has told, by rank; its own so far.
  std::vector<WaitedTime> TimesWaited() const EXCLUDES(reports_mu_);
  // Finds a device by full name; null if this rank has none of it.
  Device* FindDevice(std::string_view full_name) const;
  // The device where feeds and fetches live. Call after StartTask().
  Device& cpu() const { return *found_.devices[0]; }

 private:
  Runtime(const RuntimeOptions& options, std::unique_ptr<Communicator> communicator);
  DeviceSite SiteOf(const DeviceName& task, const MemoryLimits& limits) const;
  // Tells rank 0 of a signal that reached this rank; rank 0 tells all ranks that it knows.
  void ShareStop();
  // Connects to the watch: its news of the ranks, and this rank's own reports.
  void AttachToWatch();
  void OnStuck(const Status& stuck);
  // Called on the watch's thread when a rank is lost or the steps will never go on. The next thread that polls fails
  // all running steps.
  void Lose(const Status& loss) EXCLUDES(loss_mu_);
  void TakeLoss() EXCLUDES(loss_mu_);
  void TakeStop(int signal);
  void TakeReport(const control::Devices& devices) EXCLUDES(reports_mu_);

  const RuntimeOptions options_;
  const int rank_;
  const int size_;
  std::atomic<int64_t> next_session_{0};
  // The members are in an order in which each caller is destroyed before the objects that it calls.
  PartList parts_;
  StepTrace trace_;
  const std::unique_ptr<Communicator> communicator_;
  DeviceName task_;
  TaskDevices found_;
  mutable Mutex reports_mu_;
  std::vector<DevicesReport> reports_ GUARDED_BY(reports_mu_);  // by rank, but for rank 0's own
  std::vector<WaitedTime> times_ GUARDED_BY(reports_mu_);       // by rank, but for rank 0
  bool shared_stop_ = false;                                    // read and written by the polling thread only
  std::atomic<bool> has_loss_{false};                           // a loss that is not taken yet
  Mutex loss_mu_;
  Status loss_ GUARDED_BY(loss_mu_);
  std::unique_ptr<ControlPlane> control_;
  std::unique_ptr<StepRunner> runner_;
  std::unique_ptr<WorkerPool> pool_;
  std::unique_ptr<ReportWriter> writer_;  // rank 0 only
  std::unique_ptr<StallWatch> stall_;     // rank 0 only, and its watch's thread
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_RUNTIME_H_
