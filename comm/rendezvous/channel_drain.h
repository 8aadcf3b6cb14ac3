// Drains the channels of a failed step, so that no message is in flight when its slot is used again.
//
// Every channel that is not in a loop carries one message per step. A node that sends or receives takes the channel's
// turn. When the step fails, this class takes the turns that no node has taken: a Send tells the peer that no value
// comes, a Recv drops whatever comes. If a node's Recv learns that no value comes before this rank has heard of the
// failure, the Recv waits for the news and ends with the step's error.
#ifndef DFRUN_COMM_RENDEZVOUS_CHANNEL_DRAIN_H_
#define DFRUN_COMM_RENDEZVOUS_CHANNEL_DRAIN_H_

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "comm/transport.h"
#include "src/base/mutex.h"
#include "src/framework/communication/communicator.h"

namespace dfrun::comm {

// Drains one slot, which one step after the other uses.
// Thread safety: all methods from any thread; StartStep() between steps only.
class ChannelDrain {
 public:
  ChannelDrain(Transport& transport, int32_t slot) : transport_(transport), slot_(slot) {}
  ChannelDrain(const ChannelDrain&) = delete;
  ChannelDrain& operator=(const ChannelDrain&) = delete;
  ~ChannelDrain();

  // Prepares the slot for a step. `ends` must be the same in every step.
  void StartStep(std::span<const ChannelEndpoint> ends);

  // Takes the turn of a node's Send. Returns false if the turn has been taken, because the step has failed.
  bool TakeSend(int32_t channel) { return !Find(channel).taken.exchange(true, std::memory_order_acq_rel); }
  // Takes the turn of a node's Recv, and sets `done` to the callback that the transport's Recv is to call. Returns
  // false if the turn has been taken.
  bool TakeRecv(int32_t channel, Callback* done);

  // Takes the turns that are left. `quiet` runs when their messages have ended, those of AwaitOne() have ended, and
  // Failed() was called.
  void Fail(const Status& status, std::span<const ChannelEndpoint> ends, Callback quiet);
  // Makes `quiet` wait for one more message; returns the callback to run when that message has ended. Called between
  // Fail() and Failed() only.
  Callback AwaitOne();
  // Ends the counting of messages that Fail() began: `quiet` may run from now on.
  void Failed();
  // Ends the Recvs that wait for the news of the failure with `status`.
  void ReleaseHeld(const Status& status);
  Status status() const;

 private:
  // A channel's turn in the current step.
  struct Turn {
    ChannelDrain* owner = nullptr;
    std::atomic<bool> taken{false};
    Callback done = {};         // callback of a node's Recv
    Turn* next_held = nullptr;  // next in the list held_
    std::unique_ptr<char[]> dropped;
  };
  struct DroppedValue;

  Turn& Find(int32_t channel) { return turns_[static_cast<size_t>(turn_of_[channel - first_channel_])]; }
  void MakeTurns(std::span<const ChannelEndpoint> ends);
  void SayNothing(const ChannelEndpoint& end);
  void Drop(const ChannelEndpoint& end, Turn& turn);
  // Ends a node's Recv, or holds it until the news of the failure.
  void Arrived(Turn& turn, Status status);
  void OneCame(const Status& status);

  Transport& transport_;
  const int32_t slot_;
  int32_t first_channel_ = 0;
  std::vector<int32_t> turn_of_;  // index into turns_ by channel, from first_channel_ on
  std::unique_ptr<Turn[]> turns_;
  size_t num_turns_ = 0;
  std::atomic<int> awaited_{0};
  Callback quiet_ = {};

  mutable Mutex mu_;
  Status status_ GUARDED_BY(mu_);
  Turn* held_ GUARDED_BY(mu_) = nullptr;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_RENDEZVOUS_CHANNEL_DRAIN_H_
