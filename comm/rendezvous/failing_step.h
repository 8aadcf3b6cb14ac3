// How a step that fails leaves the channels between ranks as one that went well does: with nothing on its way.
//
// Every channel that is not in a loop carries one message a step. A node that sends or receives takes the channel's
// turn; when the step fails, the turns that no node has taken are taken for them: a Send says that no value comes, a
// Recv takes what comes. A Recv of a node for which no value comes has met the failure before the news of it: it ends
// with that.
#ifndef DFRUN_COMM_RENDEZVOUS_FAILING_STEP_H_
#define DFRUN_COMM_RENDEZVOUS_FAILING_STEP_H_

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "comm/transport.h"
#include "src/base/mutex.h"
#include "src/framework/communicator.h"

namespace dfrun::comm {

// Of one slot, used by one step after the other. Thread safety: all methods from any thread, StartStep() between steps.
class FailingStep {
 public:
  FailingStep(Transport& transport, int32_t slot) : transport_(transport), slot_(slot) {}
  FailingStep(const FailingStep&) = delete;
  FailingStep& operator=(const FailingStep&) = delete;
  ~FailingStep();

  // `ends`: the same in every step.
  void StartStep(std::span<const ChannelEndpoint> ends);

  // The turn of a node's Send; false where it has been taken: the step has failed.
  bool TakeSend(int32_t channel) { return !Find(channel).taken.exchange(true, std::memory_order_acq_rel); }
  // The turn of a node's Recv. `done` becomes what the transport's Recv is to call.
  bool TakeRecv(int32_t channel, Callback* done);

  // Takes the turns that are left. `quiet` runs when their messages, and `also` others that End() counts, have come.
  void Fail(const Status& status, std::span<const ChannelEndpoint> ends, Callback quiet);
  // Counts one more message that `quiet` waits for, during Fail() only; what is to run when it has come.
  Callback AwaitOne();
  // The end of what Fail() waits for beside the messages counted.
  void Failed();
  // Ends the Recvs that wait for the news: the step ends with `status`, or all steps do.
  void ReleaseHeld(const Status& status);
  Status status() const;

 private:
  // A channel's turn, and what waits for it.
  struct Turn {
    FailingStep* owner = nullptr;
    std::atomic<bool> taken{false};
    Callback done = {};         // of a node's Recv
    Turn* next_held = nullptr;  // in held_
    std::unique_ptr<char[]> dropped;
  };
  struct DroppedValue;

  Turn& Find(int32_t channel) { return turns_[static_cast<size_t>(turn_of_[channel - first_channel_])]; }
  void MakeTurns(std::span<const ChannelEndpoint> ends);
  void SayNothing(const ChannelEndpoint& end);
  void Drop(const ChannelEndpoint& end, Turn& turn);
  // The end of a node's Recv.
  void Arrived(Turn& turn, Status status);
  void OneCame(const Status& status);

  Transport& transport_;
  const int32_t slot_;
  int32_t first_channel_ = 0;
  std::vector<int32_t> turn_of_;  // by channel, from the first on
  std::unique_ptr<Turn[]> turns_;
  size_t num_turns_ = 0;
  std::atomic<int> awaited_{0};
  Callback quiet_ = {};

  mutable Mutex mu_;
  Status status_ GUARDED_BY(mu_);
  Turn* held_ GUARDED_BY(mu_) = nullptr;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_RENDEZVOUS_FAILING_STEP_H_
