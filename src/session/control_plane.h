// Control messages between ranks: typed messages over a Communicator, in a binomial tree.
// docs/step-protocol.md says what each message does in each state.
#ifndef DFRUN_SRC_SESSION_CONTROL_PLANE_H_
#define DFRUN_SRC_SESSION_CONTROL_PLANE_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "src/base/mutex.h"
#include "src/framework/communicator.h"

namespace dfrun {

class ControlMessage;  // src/session/control.proto

// How one rank fared: what a Done or Abort carries.
struct RankStatus {
  Status status;
  int64_t time_ns = 0;  // of the error, system clock
};

// Thread safety: all methods from any thread.
class ControlPlane {
 public:
  explicit ControlPlane(Communicator& communicator);
  ControlPlane(const ControlPlane&) = delete;
  ControlPlane& operator=(const ControlPlane&) = delete;

  // Rank 0: to all other ranks, by the tree. Every rank passes it on before it acts on it. Never blocks.
  void Broadcast(const ControlMessage& message);
  // Rank 0: to one rank, directly. Never blocks.
  void SendTo(int rank, const ControlMessage& message);
  // Other ranks: the next request of rank 0, in the order sent; false if there is none yet. Never blocks.
  bool NextRequest(ControlMessage* message);

  // This rank's part of round `round` is over. Sent up the tree when those of its children are in. Never blocks.
  void Done(int64_t round, const RankStatus& status);
  // Rank 0: true when all ranks are done with `round`; `status` is then the first error in time.
  bool AllDone(int64_t round, RankStatus* status);

  // Tells every rank that the running step has failed, first error first. Never blocks.
  void Abort(const RankStatus& error);
  // Called once in a session, inside Poll(), on every rank but the one that called Abort().
  void OnAbort(std::function<void(const Status&)> handler);

 private:
  struct Round;
  void Handle(int from, std::string bytes);

  Communicator& communicator_;
  const int parent_;
  const std::vector<int> children_;
  Mutex mu_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_CONTROL_PLANE_H_
