// Control messages between ranks: requests of rank 0 to all others and their answers, over a binomial tree.
// docs/step-protocol.md describes the effect of each message in each state.
//
// A round is one request to every other rank and the answers of all, gathered up the tree. Many may be open at a time.
#ifndef DFRUN_SRC_SESSION_CONTROL_CONTROL_PLANE_H_
#define DFRUN_SRC_SESSION_CONTROL_CONTROL_PLANE_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "src/base/mutex.h"
#include "src/framework/communication/communicator.h"
#include "src/framework/communication/rank_watch.h"
#include "src/session/control/rank_status.h"

namespace dfrun {

namespace control {
class Devices;  // src/session/control/control.proto
class Layouts;
class Message;
}  // namespace control

// Thread safety: all methods from any thread.
// Blocks: never; a thread that waits polls the communicator meanwhile.
class ControlPlane {
 public:
  // `on_change` runs inside Poll() when a request, the end of a round or an abort is there. `watch`, which outlives the
  // control plane, gives the epoch of its messages; null: nobody watches.
  ControlPlane(Communicator& communicator, const RankWatch* watch, std::function<void()> on_change);
  ~ControlPlane();
  ControlPlane(const ControlPlane&) = delete;
  ControlPlane& operator=(const ControlPlane&) = delete;

  // Rank 0: opens a round and returns its number, from 1 on. `end` runs once, inside Poll() or Done(), when every rank
  // is done with the round, with the first error in time.
  int64_t NewRound(Callback end);
  // Rank 0: the number of rounds opened so far, and whether one of them has not ended.
  int64_t rounds_opened() const { return last_round_.load(std::memory_order_relaxed); }
  bool has_open_round() const EXCLUDES(mu_);
  // Rank 0: forgets a round where the network has failed, so that its `end` will not run. False: `end` runs or has run.
  bool ForgetRound(int64_t round);
  // Rank 0: sends a message to all other ranks, by the tree: each passes it on before it acts. One thread may call it
  // at a time, so that all ranks get requests in one order.
  void Broadcast(const control::Message& message);
  // Rank 0: sends a message to one rank, directly.
  void SendTo(int rank, const control::Message& message);
  // Other ranks: takes the next request of rank 0. False if there is none.
  bool NextRequest(control::Message* message);

  // Notes that this rank is done with the round. The answer goes up the tree when all ranks below are done, too.
  void Done(int64_t round, const RankStatus& status);
  // Tells every other rank that the step of this round has failed, and it alone; in round 0: that a step has failed,
  // and the session with it. The first call, or the first such news of another rank, counts; later ones do nothing.
  void Abort(int64_t round, const RankStatus& error);
  // Sets the handler of an Abort from another rank, called once a round. Call before the first step.
  void OnAbort(std::function<void(int64_t round, const Status&)> handler);

  // Other ranks: tells rank 0 that this rank is asked to stop. Rank 0: tells all others that it ends the job.
  void Stop(int signal);
  // Sets the handler of a Stop from another rank. Call before the first request.
  void OnStop(std::function<void(int signal)> handler);

  // Other ranks: tells rank 0 of this rank's devices. A report sent before Done() of a round arrives before the round's
  // end.
  void Report(const control::Devices& devices);
  // Rank 0: sets the handler of reports. Call before the first request.
  void OnReport(std::function<void(const control::Devices&)> handler);

  // Other ranks: tells rank 0 of layouts of this rank's files, as Report() does of devices.
  void Report(const control::Layouts& layouts);
  // Rank 0: returns the layouts that were reported since the last call, by any rank.
  std::vector<control::Layouts> TakeLayouts() EXCLUDES(mu_);

  // Notes the loss of a rank; the first call counts.
  void SetLost(const Status& loss) EXCLUDES(mu_);
  // An error once the network has failed or a rank is lost: waiting is then vain.
  Status network_status() const EXCLUDES(mu_);

 private:
  struct Round {
    int waiting;  // for this rank, and for its children with all below them
    RankStatus first = {};
    Callback end = {};  // rank 0's
  };

  uint64_t epoch() const { return watch_ == nullptr ? 0 : watch_->epoch(); }
  // Serializes the message with this rank's epoch.
  std::string Serialize(const control::Message& message) const;
  void Handle(int from, const std::string& bytes);
  // False: the message was sent before a loss, and its step or round has ended.
  bool IsCurrent(int from, const control::Message& message);
  void HandleRequest(control::Message message);
  void HandleAbort(int from, const control::Message& message);
  void HandleStop(const control::Message& message);
  void HandleDevices(const control::Message& message);
  void HandleLayouts(control::Message message) EXCLUDES(mu_);
  // Records the abort; false if there was one of this round before.
  bool TakeAbort(int64_t round) EXCLUDES(mu_);
  void SendToNeighbours(const control::Message& message, int but);

  Communicator& communicator_;
  const RankWatch* const watch_;
  const std::function<void()> on_change_;
  const int parent_;
  const std::vector<int> children_;
  std::atomic<int64_t> last_round_{0};
  std::function<void(int64_t, const Status&)> on_abort_;
  std::function<void(int)> on_stop_;
  std::function<void(const control::Devices&)> on_report_;

  std::atomic<bool> is_lost_{false};

  mutable Mutex mu_;
  Status loss_ GUARDED_BY(mu_);
  std::deque<std::unique_ptr<control::Message>> requests_ GUARDED_BY(mu_);
  std::map<int64_t, Round> rounds_ GUARDED_BY(mu_);  // rounds that have begun
  std::set<int64_t> aborted_ GUARDED_BY(mu_);        // rounds
  // Rank 0: reports of layouts that were not taken yet.
  std::vector<std::unique_ptr<control::Message>> layouts_ GUARDED_BY(mu_);
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_CONTROL_CONTROL_PLANE_H_
