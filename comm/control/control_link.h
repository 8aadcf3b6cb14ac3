// A ControlLink sends byte messages of any length between ranks, over any transport. Control messages use it.
//
// Wire form: a frame of kFrameBytes with tag 0 holds the length (uint64, this machine's byte order) and the first
// bytes; the rest of a longer message follows with tag 1. A receiver has one frame posted for every peer that it
// listens to.
#ifndef DFRUN_COMM_CONTROL_CONTROL_LINK_H_
#define DFRUN_COMM_CONTROL_CONTROL_LINK_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "comm/transport.h"
#include "src/base/mutex.h"

namespace dfrun::comm {

class ControlLink {
 public:
  static constexpr size_t kFrameBytes = 512;  // below the eager limit of every network
  // Limit of the length: a message that claims more must be damaged, and is an error.
  static constexpr uint64_t kMaxMessageBytes = uint64_t{1} << 34;

  using Handler = std::function<void(int from, std::string message)>;

  // The link must be the only user of the transport.
  explicit ControlLink(std::unique_ptr<Transport> transport);
  ~ControlLink();
  ControlLink(const ControlLink&) = delete;
  ControlLink& operator=(const ControlLink&) = delete;

  // These methods implement Communicator's methods of the same purpose.
  void Send(int to, std::string message);
  void Listen(const std::vector<int>& peers, Handler handler);
  bool Poll() { return transport_->Poll(); }
  int wake_descriptor() const { return transport_->wake_descriptor(); }
  bool ArmWake() { return transport_->ArmWake(); }
  Status status() const;
  // Returns whether every message has left.
  bool Flushed() const { return sending_.load(std::memory_order_acquire) == 0; }

 private:
  struct Outgoing;
  struct Incoming;

  void PostFrame(Incoming* in);
  void OnFrame(Incoming* in, Status status);
  void OnTail(Incoming* in, Status status);
  void Finish(Incoming* in);
  void OnSent(Outgoing* out, Status status);
  void FailReceive(Status status);
  void Fail(Status status);

  const std::unique_ptr<Transport> transport_;
  Handler handler_;
  std::vector<std::unique_ptr<Incoming>> incoming_;
  std::atomic<int> sending_{0};    // messages that have not left
  std::atomic<int> receiving_{0};  // peers that this rank listens to
  std::atomic<bool> closing_{false};
  mutable Mutex mu_;
  Status status_ GUARDED_BY(mu_);
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_CONTROL_CONTROL_LINK_H_
