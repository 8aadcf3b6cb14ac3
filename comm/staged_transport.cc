#include "comm/staged_transport.h"

#include <cstring>

namespace dfrun::comm {

// The registered block of one call.
// Owns: itself and the block, until the call has ended.
class StagedTransport::Stage {
 public:
  // Returns null if there is no memory for the block. The call then uses the caller's memory.
  static Stage* New(NetworkMemory& memory, void* to, size_t bytes, Callback done) {
    void* const block = memory.Allocate(bytes);
    return block == nullptr ? nullptr : new Stage(memory, block, to, bytes, done);
  }

  void* block() { return block_; }
  Callback ends() {
    return {[](void* arg, Status status) { static_cast<Stage*>(arg)->End(std::move(status)); }, this};
  }

 private:
  Stage(NetworkMemory& memory, void* block, void* to, size_t bytes, Callback done)
      : memory_(memory), block_(block), to_(to), bytes_(bytes), done_(done) {}

  void End(Status status) {
    if (to_ != nullptr && status.ok()) std::memcpy(to_, block_, bytes_);
    memory_.Free(block_, bytes_);
    const Callback done = done_;
    delete this;
    done(std::move(status));
  }

  NetworkMemory& memory_;
  void* const block_;
  void* const to_;  // target to which a received message is copied at the end; null for a Send
  const size_t bytes_;
  const Callback done_;
};

// NOLINTBEGIN(clang-analyzer-cplusplus.NewDeleteLeaks): a stage deletes itself when its call ends
void StagedTransport::Send(int peer, MessageTag tag, const void* data, size_t bytes, Callback done) {
  Stage* const stage = GoesStraight(data, bytes) ? nullptr : Stage::New(memory_, nullptr, bytes, done);
  if (stage == nullptr) return transport_->Send(peer, tag, data, bytes, done);
  std::memcpy(stage->block(), data, bytes);
  transport_->Send(peer, tag, stage->block(), bytes, stage->ends());
}

void StagedTransport::Recv(int peer, MessageTag tag, void* data, size_t bytes, Callback done) {
  Stage* const stage = GoesStraight(data, bytes) ? nullptr : Stage::New(memory_, data, bytes, done);
  if (stage == nullptr) return transport_->Recv(peer, tag, data, bytes, done);
  transport_->Recv(peer, tag, stage->block(), bytes, stage->ends());
}

void StagedTransport::RecvLater(int peer, MessageTag tag, void* data, size_t bytes, Callback done) {
  Stage* const stage = GoesStraight(data, bytes) ? nullptr : Stage::New(memory_, data, bytes, done);
  if (stage == nullptr) return transport_->RecvLater(peer, tag, data, bytes, done);
  transport_->RecvLater(peer, tag, stage->block(), bytes, stage->ends());
}

void StagedTransport::Get(int peer, std::string_view key, size_t offset, void* data, size_t bytes, Callback done) {
  Stage* const stage = GoesStraight(data, bytes) ? nullptr : Stage::New(memory_, data, bytes, done);
  if (stage == nullptr) return transport_->Get(peer, key, offset, data, bytes, done);
  transport_->Get(peer, key, offset, stage->block(), bytes, stage->ends());
}
// NOLINTEND(clang-analyzer-cplusplus.NewDeleteLeaks)

}  // namespace dfrun::comm
