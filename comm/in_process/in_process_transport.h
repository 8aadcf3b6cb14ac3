// The transport within one process, whose ranks are threads: for tests and simulation.
#ifndef DFRUN_COMM_IN_PROCESS_IN_PROCESS_TRANSPORT_H_
#define DFRUN_COMM_IN_PROCESS_IN_PROCESS_TRANSPORT_H_

#include <memory>
#include <utility>

#include "comm/in_process/hub.h"
#include "comm/transport.h"

namespace dfrun::comm {

// A Send waits for its Recv, however small the message is, so that errors in the order of messages show here first.
class InProcessTransport final : public Transport {
 public:
  InProcessTransport(std::shared_ptr<InProcessHub> hub, int rank) : hub_(std::move(hub)), rank_(rank) {}

  std::string_view name() const override { return "self"; }
  int rank() const override { return rank_; }
  int size() const override { return hub_->ranks(); }
  int32_t max_channels() const override { return INT32_MAX; }
  int32_t max_slots() const override { return INT32_MAX; }

  void Send(int peer, MessageTag tag, const void* data, size_t bytes, Callback done) override {
    hub_->Send({rank_, peer, tag}, {const_cast<void*>(data), bytes, done});
  }
  void Recv(int peer, MessageTag tag, void* data, size_t bytes, Callback done) override {
    hub_->Recv({peer, rank_, tag}, {data, bytes, done});
  }
  bool Poll() override { return hub_->RunCompleted(rank_); }
  void Abort(const Status& status) override { hub_->Abort(rank_, status); }

 private:
  const std::shared_ptr<InProcessHub> hub_;
  const int rank_;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_IN_PROCESS_IN_PROCESS_TRANSPORT_H_
