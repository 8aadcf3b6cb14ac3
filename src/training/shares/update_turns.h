// The turns of replicas at the variables: nodes by which one replica at a time uses the variables and slots of a
// device.
//
// A replica needs turns where the shares are applied in their order, where an update reads a variable that others
// write, as Adam's powers, and where one update is several nodes. Else the kernel of an update is a critical section of
// its own. Where updates on one device read variables on another, the turn at the first device is that of all devices,
// so that no two replicas wait for each other.
#ifndef DFRUN_SRC_TRAINING_SHARES_UPDATE_TURNS_H_
#define DFRUN_SRC_TRAINING_SHARES_UPDATE_TURNS_H_

#include <map>
#include <string>
#include <vector>

#include "src/training/job_graph_draft.h"

namespace dfrun {

// Adds the turns of all replicas of one draft.
// Thread safety: one thread.
class UpdateTurnNodes {
 public:
  // `in_turn`: the shares are applied in their order.
  UpdateTurnNodes(JobGraphDraft& draft, bool in_turn) : draft_(draft), in_turn_(in_turn) {}

  // Adds the turns of a replica, and returns the nodes that end when its updates have been made: one a device. Call
  // when the replica has its gates.
  Result<std::vector<NodeId>> Add(int number, ReplicaApart& replica);
  // Adds the nodes that begin a period at the first of `steps`.
  Status AddOpen(Output steps, RunSignature& open);

 private:
  // The nodes by which a replica uses the variables of a device.
  struct Uses {
    std::vector<NodeId> nodes;
    std::vector<NodeId> after;  // come before the turn
    Output turns;
    NodeId begin = -1;
    NodeId end = -1;
  };
  using UsesByDevice = std::map<std::string, Uses>;

  Status FindUses(const ReplicaApart& replica);
  bool NeedsTurns(const ReplicaApart& replica) const;
  Status AddTurn(int number, const std::string& device, ReplicaApart& replica, Uses& uses);
  Status ReadOnDevice(ReplicaApart& replica);
  Result<Output> TurnsOn(const std::string& device);

  JobGraphDraft& draft_;
  const bool in_turn_;
  std::map<std::string, Output> turns_;  // by device
  // The state of the replica that is being added.
  UsesByDevice uses_;
  struct RemoteRead {
    NodeId node;
    int input;
    NodeId variable;
  };
  std::vector<RemoteRead> remote_reads_;
  bool reads_values_ = false;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_SHARES_UPDATE_TURNS_H_
