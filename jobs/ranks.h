// From a process that mpirun, srun or a shell started to ranks that work: rank 0 leads, the others serve it.
#ifndef DFRUN_JOBS_RANKS_H_
#define DFRUN_JOBS_RANKS_H_

#include <functional>
#include <string>

#include "jobs/options.h"
#include "src/session/runtime.h"

namespace dfrun::jobs {

struct RankOptions {
  int threads = 0;             // kernel threads of this rank; 0: its share of the host's cores
  std::string transport = {};  // empty: the best that all ranks have
  std::string mpi_abi = {};    // empty: the launcher's
  std::string collectives = "auto";
  std::string heartbeat = "1,5";  // as comm::ParseHeartbeat() reads it
  int64_t start_timeout_s = 300;  // for all ranks to start; 0: they are waited for without end
  int64_t stall_s = 0;            // without the end of a step, until it is said what all ranks wait for; 0: never
  bool loop_programs = true;
  bool records = true;       // steps of devices that do so
  bool explain_gpu = false;  // tells what is recorded, and what is not
  // Not 0: signals of kStopSignals are requests to stop, which `lead` looks for in Runtime, and after so many
  // seconds what is still in progress is ended in its midst. 0: they end the process.
  int64_t grace_s = 0;
};

// Gives the command --threads, --transport, --mpi-abi, --collectives, --heartbeat, --start-timeout,
// --explain-gpu and --no-gpu-graphs.
void DeclareRankOptions(Options& args, RankOptions& options);

using RankRole = std::function<Status(Runtime&)>;

// --stall, 60 by default, of commands that nothing but their own steps keeps going.
void DeclareStall(Options& args, RankOptions& options);

// Joins the ranks, calls `lead` on rank 0 and `serve` on all others, and ends them with rank 0's outcome: `serve`
// returns what the last Worker::Serve() in it does. The result on every rank: 0, or the exit code of what went wrong,
// which rank 0 has said by PrintError(). An error where the ranks could not be joined.
Result<int> RunMasterOrWorker(const RankOptions& options, const RankRole& lead, const RankRole& serve);
// The others serve rank 0's sessions until its end.
Result<int> RunMasterOrWorker(const RankOptions& options, const RankRole& lead);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_RANKS_H_
