// The ranks that a launcher started, of which this process is one.
//
//   DF_ASSIGN(std::unique_ptr<comm::ProcessGroup> group, comm::ProcessGroup::Join({.threads = threads}));
//   DF_ASSIGN(std::unique_ptr<Communicator> communicator, group->Connect());
//
// Started without a launcher, a process is one rank.
#ifndef DFRUN_COMM_BOOTSTRAP_PROCESS_GROUP_H_
#define DFRUN_COMM_BOOTSTRAP_PROCESS_GROUP_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "comm/bootstrap/bootstrap.h"
#include "comm/bootstrap/rank_facts.h"
#include "src/framework/communicator.h"

namespace dfrun::comm {

// Thread safety: the thread that calls Join() calls everything else, but Abort(), which any thread may call.
class ProcessGroup {
 public:
  // Once a process. FailedPrecondition if ranks run different builds; it names two. Errors as StartBootstrap()'s.
  // Collective. Limits oneDNN to the lowest instruction set of all ranks, so it must come before oneDNN's first
  // primitive.
  // `facts`: what else ranks should agree on.
  static Result<std::unique_ptr<ProcessGroup>> Join(const BootstrapOptions& options, std::vector<RankFact> facts = {});
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  int rank() const { return bootstrap_->rank(); }
  int size() const { return bootstrap_->size(); }
  // For what else the ranks agree on at start; lives as long as the group.
  Bootstrap& bootstrap() { return *bootstrap_; }
  // The facts about all ranks, by rank.
  const std::vector<RankInfo>& ranks() const { return ranks_; }
  // The number of ranks on this rank's host.
  int ranks_on_host() const;

  // The communicator of this rank over the transport of this name; empty: the best that all ranks have. Collective. The
  // group outlives it. Errors as ChooseTransport()'s, and the network's.
  Result<std::unique_ptr<Communicator>> Connect(const std::string& transport = "");

  // Ends every rank's process with `exit_code`.
  [[noreturn]] void Abort(int exit_code);

 private:
  explicit ProcessGroup(std::unique_ptr<Bootstrap> bootstrap) : bootstrap_(std::move(bootstrap)) {}
  Status Exchange(std::vector<RankFact> facts);

  const std::unique_ptr<Bootstrap> bootstrap_;
  std::vector<RankInfo> ranks_;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_BOOTSTRAP_PROCESS_GROUP_H_
