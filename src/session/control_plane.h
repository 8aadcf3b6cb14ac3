// Control messages between ranks: requests of rank 0 to all others and their answers, over a binomial tree.
// docs/step-protocol.md says what each message does in each state.
//
// A round is one request to every other rank and the answers of all, gathered up the tree. Rank 0 has one round open at
// a time.
#ifndef DFRUN_SRC_SESSION_CONTROL_PLANE_H_
#define DFRUN_SRC_SESSION_CONTROL_PLANE_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "src/base/mutex.h"
#include "src/framework/communicator.h"
#include "src/session/rank_status.h"

namespace dfrun {

namespace control {
class Message;  // src/session/control.proto
}

// Thread safety: all methods from any thread. None blocks: who waits polls the communicator meanwhile.
class ControlPlane {
 public:
  // `on_change` runs inside Poll() when a request, the end of a round or an abort is there.
  ControlPlane(Communicator& communicator, std::function<void()> on_change);
  ~ControlPlane();
  ControlPlane(const ControlPlane&) = delete;
  ControlPlane& operator=(const ControlPlane&) = delete;

  // Rank 0: the number of the next round.
  int64_t NewRound() { return ++last_round_; }
  // Rank 0: to all other ranks, by the tree: each passes it on before it acts.
  void Broadcast(const control::Message& message);
  // Rank 0: to one rank, directly.
  void SendTo(int rank, const control::Message& message);
  // Other ranks: the next request of rank 0. False if there is none.
  bool NextRequest(control::Message* message);

  // This rank, or a child with all ranks below it, is done with the round. Goes up the tree when all below are.
  void Done(int64_t round, const RankStatus& status);
  // Rank 0: true when every rank is done with the round.
  bool AllDone(int64_t round) const { return finished_round_.load(std::memory_order_acquire) >= round; }
  // Rank 0, then: the first error in time, or OK.
  Status RoundStatus() const;

  // Tells every other rank that the step has failed. The first call, or the first such news of another rank, counts;
  // later ones do nothing.
  void Abort(const RankStatus& error);
  // What to do on such news, once; set before the first step.
  void OnAbort(std::function<void(const Status&)> handler);

  // Other ranks: tells rank 0 that this rank is asked to stop. Rank 0: tells all others that it ends the job.
  void Stop(int signal);
  // What to do on such news; set before the first request.
  void OnStop(std::function<void(int signal)> handler);

  // Not OK once the network has failed: waiting is then vain.
  Status network_status() const { return communicator_.network_status(); }

 private:
  struct Round {
    int waiting;  // for this rank, and for its children with all below them
    RankStatus first;
  };

  void Handle(int from, const std::string& bytes);
  void HandleRequest(control::Message message);
  void HandleAbort(int from, const control::Message& message);
  void HandleStop(const control::Message& message);
  // Records the abort; false if there was one before.
  bool TakeAbort() EXCLUDES(mu_);
  void SendToNeighbours(const control::Message& message, int but);

  Communicator& communicator_;
  const std::function<void()> on_change_;
  const int parent_;
  const std::vector<int> children_;
  std::atomic<int64_t> last_round_{0};
  std::atomic<int64_t> finished_round_{0};
  std::function<void(const Status&)> on_abort_;
  std::function<void(int)> on_stop_;

  mutable Mutex mu_;
  std::deque<std::unique_ptr<control::Message>> requests_ GUARDED_BY(mu_);
  std::map<int64_t, Round> rounds_ GUARDED_BY(mu_);  // those begun
  Status round_status_ GUARDED_BY(mu_);
  bool aborted_ GUARDED_BY(mu_) = false;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_CONTROL_PLANE_H_
