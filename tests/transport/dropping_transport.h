// A transport of the tests that swallows one message: its Send ends well, and nothing comes.
#ifndef DFRUN_TESTS_TRANSPORT_DROPPING_TRANSPORT_H_
#define DFRUN_TESTS_TRANSPORT_DROPPING_TRANSPORT_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "comm/transport.h"

namespace dfrun::comm {

// Over another transport, which moves all other messages.
class DroppingTransport final : public Transport {
 public:
  // The `drops`-th message that this rank sends to another is swallowed; counted from 1, 0: none.
  DroppingTransport(std::unique_ptr<Transport> inner, int64_t drops) : inner_(std::move(inner)), drops_(drops) {}

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
  const int64_t drops_;
  std::atomic<int64_t> sent_{0};
};

}  // namespace dfrun::comm

#endif  // DFRUN_TESTS_TRANSPORT_DROPPING_TRANSPORT_H_
