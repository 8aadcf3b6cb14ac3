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

  Capabilities capabilities() const override { return {.remote_read = true}; }
  Result<Region> Register(void* data, size_t bytes) override;
  void Get(int peer, std::string_view key, size_t offset, void* data, size_t bytes, Callback done) override;

  void Send(int peer, MessageTag tag, const void* data, size_t bytes, Callback done) override {
    hub_->Send({rank_, peer, tag}, {const_cast<void*>(data), bytes, done, /*is_send=*/true, trace_.NowNs()});
  }
  void Recv(int peer, MessageTag tag, void* data, size_t bytes, Callback done) override {
    hub_->Recv({peer, rank_, tag}, {data, bytes, done, /*is_send=*/false, trace_.NowNs()});
  }
  bool Poll() override { return hub_->RunCompleted(rank_, trace_); }
  void Abort(const Status& status) override { hub_->Abort(rank_, status); }
  void Trace(TraceSink* sink) override { trace_.Start(sink); }

 private:
  const std::shared_ptr<InProcessHub> hub_;
  const int rank_;
  MessageTrace trace_;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_IN_PROCESS_IN_PROCESS_TRANSPORT_H_
