// Turns a process that mpirun, srun or a shell started into a working rank: rank 0 leads, the others serve it.
#ifndef DFRUN_JOBS_RANKS_RANKS_H_
#define DFRUN_JOBS_RANKS_RANKS_H_

#include <functional>
#include <string>

#include "jobs/options.h"
#include "src/session/runtime.h"

namespace dfrun::jobs {

struct RankOptions {
  int threads = 0;             // kernel threads of this rank; 0: its share of the host's cores
  std::string transport = {};  // empty: the best that all ranks have
  std::string mpi_abi = {};    // empty: the ABI of the launcher
  std::string collectives = "auto";
  std::string heartbeat = "1,5";  // in the form that comm::ParseHeartbeat() reads
  int64_t start_timeout_s = 300;  // time for all ranks to start; 0: no limit
  // Time without the end of a step after which the ranks report what they wait for; 0: never
  int64_t stall_s = 0;
  bool loop_programs = true;
  bool records = true;       // devices that support it capture their steps
  bool explain_gpu = false;  // report what is captured, and what is not
  bool log_json = false;     // lines are JSON objects (src/base/json/log_line.h)
  // Not 0: signals of kStopSignals are requests to stop, which `lead` reads from Runtime, and after so many seconds a
  // running step is aborted. 0: these signals end the process.
  int64_t grace_s = 0;
};

// Declares --threads, --transport, --mpi-abi, --collectives, --heartbeat, --start-timeout, --explain-gpu and
// --no-gpu-graphs.
void DeclareRankOptions(Options& args, RankOptions& options);

using RankRole = std::function<Status(Runtime&)>;

// Declares --log-json, for commands whose results are in files.
void DeclareLogJson(Options& args, RankOptions& options);
// Declares --stall, 60 by default, for commands whose progress depends on their own steps alone.
void DeclareStall(Options& args, RankOptions& options);

// Joins the ranks, calls `lead` on rank 0 and `serve` on all others, and ends them with rank 0's outcome. `serve`
// returns what its last Worker::Serve() does. Returns on every rank 0, or the exit code of an error that rank 0 has
// printed by PrintError(). Returns an error if the ranks could not be joined.
Result<int> RunMasterOrWorker(const RankOptions& options, const RankRole& lead, const RankRole& serve);
// Lets the other ranks serve rank 0's sessions until its end.
Result<int> RunMasterOrWorker(const RankOptions& options, const RankRole& lead);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_RANKS_RANKS_H_
