// The group of ranks that a launcher started, of which this process is one.
//
//   DF_ASSIGN(std::unique_ptr<comm::ProcessGroup> group, comm::ProcessGroup::Join({.threads = threads}));
//   DF_ASSIGN(std::unique_ptr<Communicator> communicator, group->Connect());
//
// A process that was started without a launcher is a group of one rank.
#ifndef DFRUN_COMM_BOOTSTRAP_PROCESS_GROUP_H_
#define DFRUN_COMM_BOOTSTRAP_PROCESS_GROUP_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "comm/bootstrap/bootstrap.h"
#include "comm/bootstrap/rank_facts.h"
#include "src/framework/communication/communicator.h"

namespace dfrun::comm {

// Thread safety: the thread that calls Join() calls everything else, except for Abort(), which any thread may call.
class ProcessGroup {
 public:
  // Joins the group; called once per process. Collective. Limits oneDNN to the lowest instruction set of all ranks, so
  // it must come before oneDNN's first primitive. `facts` are further values on which the ranks should agree.
  // FailedPrecondition if ranks run different builds; the message names two. Other errors are those of
  // StartBootstrap().
  static Result<std::unique_ptr<ProcessGroup>> Join(const BootstrapOptions& options, std::vector<RankFact> facts = {});
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  int rank() const { return bootstrap_->rank(); }
  int size() const { return bootstrap_->size(); }
  // The bootstrap, for other values on which the ranks agree at start. It lives as long as the group.
  Bootstrap& bootstrap() { return *bootstrap_; }
  // The facts about all ranks, by rank.
  const std::vector<RankInfo>& ranks() const { return ranks_; }
  // The number of ranks on this rank's host.
  int ranks_on_host() const;

  // Returns the communicator of this rank over the transport of this name; an empty name stands for the best transport
  // that all ranks have. Collective. The group must outlive the communicator. Errors are those of ChooseTransport() and
  // of the network.
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
