// A test transport that drops or damages one message: its Send ends well, and nothing, or other bytes, arrive. It can
// also be slow now and then.
#ifndef DFRUN_TESTS_TRANSPORT_DROPPING_TRANSPORT_H_
#define DFRUN_TESTS_TRANSPORT_DROPPING_TRANSPORT_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "comm/transport.h"

namespace dfrun::comm {

// Wraps another transport, which moves all other messages.
class DroppingTransport final : public Transport {
 public:
  // The number of the message that is dropped or damaged, counted from 1 among those that this rank sends to others; 0:
  // none. And the milliseconds by which three of four messages are late.
  struct Faults {
    int64_t drops = 0;
    int64_t damages = 0;
    int64_t delay_ms = 0;
  };
  DroppingTransport(std::unique_ptr<Transport> inner, Faults faults) : inner_(std::move(inner)), faults_(faults) {}

  std::string_view name() const override { return "dropping"; }
  int rank() const override { return inner_->rank(); }
  int size() const override { return inner_->size(); }
  int32_t max_channels() const override { return inner_->max_channels(); }
  int32_t max_slots() const override { return inner_->max_slots(); }
  void Send(int peer, MessageTag tag, const void* data, size_t bytes, Callback done) override;
  void Recv(int peer, MessageTag tag, void* data, size_t bytes, Callback done) override {
    inner_->Recv(peer, tag, data, bytes, done);
  }
  bool Poll() override { return inner_->Poll(); }
  void Abort(const Status& status) override { inner_->Abort(status); }
  void Trace(TraceSink* sink) override { inner_->Trace(sink); }

 private:
  const std::unique_ptr<Transport> inner_;
  const Faults faults_;
  std::vector<char> damaged_;
  std::atomic<int64_t> sent_{0};
};

}  // namespace dfrun::comm

#endif  // DFRUN_TESTS_TRANSPORT_DROPPING_TRANSPORT_H_
