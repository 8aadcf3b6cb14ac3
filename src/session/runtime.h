// One rank: its devices, registries, thread pool and communication. Everything else hangs off it, so that a process may
// hold several (tests, simulation).
//
//   Result<std::unique_ptr<Communicator>> communicator = comm::Connect(...);   // jobs/ chooses the transport
//   DF_ASSIGN(auto runtime, Runtime::Create(options, *std::move(communicator)));
//   if (runtime->rank() != 0) return Worker(*runtime).Serve();
//   DF_ASSIGN(auto session, Session::Create(*runtime, std::move(graph), session_options));
#ifndef DFRUN_SRC_SESSION_RUNTIME_H_
#define DFRUN_SRC_SESSION_RUNTIME_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/framework/communicator.h"
#include "src/framework/device.h"
#include "src/framework/device_factory.h"
#include "src/framework/kernel.h"

namespace dfrun {

class ControlPlane;
class WorkerPool;

struct RuntimeOptions {
  // Threads that run kernels, this rank's main thread included. 1: the main thread does everything.
  int threads = 1;
  const KernelRegistry* kernels = &KernelRegistry::Builtin();
};

// Thread safety: const methods from any thread; Configure() before the first step. Outlives sessions and workers on it.
class Runtime {
 public:
  static Result<std::unique_ptr<Runtime>> Create(const RuntimeOptions& options,
                                                 std::unique_ptr<Communicator> communicator);
  // One rank without a network.
  static Result<std::unique_ptr<Runtime>> CreateLocal(const RuntimeOptions& options);
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  const std::string& host() const { return host_; }
  const KernelRegistry& kernels() const { return *options_.kernels; }
  WorkerPool& pool() { return *pool_; }
  // Null on a runtime without a network.
  Communicator* communicator() { return communicator_.get(); }
  ControlPlane* control() { return control_.get(); }

  // Makes this rank's devices, named as the task `task`. A second call must name the same task: variables live on.
  Status MakeTask(const DeviceName& task);
  // Empty before MakeTask().
  const DeviceList& devices() const { return devices_; }
  // By full name; null if this rank has none of it.
  Device* FindDevice(std::string_view full_name) const;
  // The device on which feeds and fetches live. Only after MakeTask().
  Device& cpu() const { return *devices_[0]; }

 private:
  Runtime(const RuntimeOptions& options, std::unique_ptr<Communicator> communicator);

  const RuntimeOptions options_;
  const int rank_;
  const int size_;
  const std::string host_;
  const std::unique_ptr<Communicator> communicator_;
  std::unique_ptr<WorkerPool> pool_;
  std::unique_ptr<ControlPlane> control_;
  DeviceName task_;
  DeviceList devices_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_RUNTIME_H_
