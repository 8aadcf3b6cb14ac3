// A StagedTransport lets callers use any memory with a transport that wants registered memory.
#ifndef DFRUN_COMM_STAGED_TRANSPORT_H_
#define DFRUN_COMM_STAGED_TRANSPORT_H_

#include <memory>
#include <utility>

#include "comm/network_memory.h"
#include "comm/transport.h"

namespace dfrun::comm {

// Copies a message through a block of `memory` if the transport wants registered memory for its size and the caller's
// memory is not registered. Tensors that plans put into `memory` are sent without a copy.
class StagedTransport final : public Transport {
 public:
  // `memory` belongs to the transport and must outlive this object.
  StagedTransport(std::unique_ptr<Transport> transport, NetworkMemory& memory)
      : transport_(std::move(transport)),
        memory_(memory),
        registered_from_(transport_->capabilities().registered_from) {}

  std::string_view name() const override { return transport_->name(); }
  int rank() const override { return transport_->rank(); }
  int size() const override { return transport_->size(); }
  int32_t max_channels() const override { return transport_->max_channels(); }
  int32_t max_slots() const override { return transport_->max_slots(); }
  Capabilities capabilities() const override { return transport_->capabilities(); }
  Result<Region> Register(void* data, size_t bytes) override { return transport_->Register(data, bytes); }
  Result<Region> NewRegion(size_t bytes) override { return transport_->NewRegion(bytes); }

  void Send(int peer, MessageTag tag, const void* data, size_t bytes, Callback done) override;
  void Recv(int peer, MessageTag tag, void* data, size_t bytes, Callback done) override;
  void RecvLater(int peer, MessageTag tag, void* data, size_t bytes, Callback done) override;
  void Get(int peer, std::string_view key, size_t offset, void* data, size_t bytes, Callback done) override;
  bool Poll() override { return transport_->Poll(); }
  bool is_idle() const override { return transport_->is_idle(); }
  int wake_descriptor() const override { return transport_->wake_descriptor(); }
  bool ArmWake() override { return transport_->ArmWake(); }
  void Abort(const Status& status) override { transport_->Abort(status); }
  void Trace(TraceSink* sink) override { transport_->Trace(sink); }

 private:
  class Stage;
  bool GoesStraight(const void* data, size_t bytes) const { return bytes < registered_from_ || memory_.Holds(data); }

  const std::unique_ptr<Transport> transport_;
  NetworkMemory& memory_;
  const size_t registered_from_;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_STAGED_TRANSPORT_H_
