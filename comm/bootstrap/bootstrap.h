// A bootstrap connects the ranks that a launcher started, before there is a transport.
//
//   BOOTSTRAP("mpi", [](Launcher l) { return l != Launcher::kNone; }, &StartMpi);   // in a file of its own
#ifndef DFRUN_COMM_BOOTSTRAP_BOOTSTRAP_H_
#define DFRUN_COMM_BOOTSTRAP_BOOTSTRAP_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "comm/bootstrap/launcher.h"
#include "src/base/registry.h"
#include "src/base/status.h"

namespace dfrun::comm {

// Thread safety: only the thread that made it, except for Abort(), which any thread may call.
// AllGather(), Barrier() and the destructor are collective: every rank calls them, in the same order.
class Bootstrap {
 public:
  // Leaves the job. Every transport that was connected through this bootstrap must be destroyed before.
  virtual ~Bootstrap() = default;

  virtual std::string_view name() const = 0;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Returns the bytes of every rank, by rank. Ranks may give different sizes.
  virtual Result<std::vector<std::string>> AllGather(std::string_view bytes) = 0;
  virtual Status Barrier() = 0;
  // Ends every rank's process with `exit_code`.
  [[noreturn]] virtual void Abort(int exit_code) = 0;
};

struct BootstrapOptions {
  int threads = 1;           // threads of this process that will communicate or compute
  std::string mpi_abi = {};  // the MPI of this binary interface (comm/mpi/mpi_part.h); empty: the launcher's
};

struct BootstrapDef {
  bool (*serves)(Launcher launcher);
  // Called once per process.
  Result<std::unique_ptr<Bootstrap>> (*start)(const BootstrapOptions& options);
};

Registry<BootstrapDef>& Bootstraps();

// Starts the bootstrap that serves this process's launcher. FailedPrecondition if there is none, or if Slurm, Flux,
// JSM, PALS or MVAPICH started several tasks but gave this one no means to find the others.
Result<std::unique_ptr<Bootstrap>> StartBootstrap(const BootstrapOptions& options);

struct BootstrapRegistration {
  BootstrapRegistration(const char* name, BootstrapDef def) { Bootstraps().Add(name, def); }
};
#define BOOTSTRAP(name, ...)                                                               \
  static const ::dfrun::comm::BootstrapRegistration DF_CONCAT(df_bootstrap_, __COUNTER__)( \
      name, ::dfrun::comm::BootstrapDef{__VA_ARGS__})

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_BOOTSTRAP_BOOTSTRAP_H_
