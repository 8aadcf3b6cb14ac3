// The main function of programs under mpirun: rank 0 runs a function, and the other ranks serve it.
#ifndef DFRUN_TESTS_MPI_RANK_MAIN_H_
#define DFRUN_TESTS_MPI_RANK_MAIN_H_

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "comm/bootstrap/process_group.h"
#include "src/base/threads.h"
#include "src/session/runtime.h"
#include "src/session/worker.h"

namespace dfrun::testing {

// Joins the ranks and runs `on_master` on rank 0, which then ends the others with its status and prints it. Each rank
// has $THREADS threads (default 1); the transport is $TRANSPORT (default: the best), collectives are $COLLECTIVES
// (default: auto). Returns the exit code of that status on every rank.
inline Result<int> RunRanks(FunctionRef<Status(Runtime&)> on_master) {
  const char* const wanted = std::getenv("THREADS");
  RuntimeOptions options;
  options.threads = wanted == nullptr ? 1 : std::atoi(wanted);
  const char* const collectives = std::getenv("COLLECTIVES");
  DF_ASSIGN(options.collectives, ParseCollectivesOption(collectives == nullptr ? "auto" : collectives));
  DF_ASSIGN(const auto group, comm::ProcessGroup::Join({.threads = options.threads}));
  const char* const transport = std::getenv("TRANSPORT");
  DF_ASSIGN(auto communicator, group->Connect(transport == nullptr ? "" : transport));
  DF_ASSIGN(const auto runtime, Runtime::Create(options, std::move(communicator)));
  Status status;
  if (runtime->rank() == 0) {
    status = Shutdown(*runtime, on_master(*runtime));
    std::printf("%d ranks: %s\n", runtime->size(), status.ToString().c_str());
  } else {
    status = Worker(*runtime).Serve();
  }
  return static_cast<int>(status.code());
}

// Returns main()'s exit code: that of RunRanks(), or 100 if the ranks could not be joined.
inline int RankMain(FunctionRef<Status(Runtime&)> on_master) {
  const Result<int> code = RunRanks(on_master);
  if (code.ok()) return *code;
  std::fprintf(stderr, "%s\n", code.status().ToString().c_str());
  return 100;
}

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_MPI_RANK_MAIN_H_
