#include "comm/bootstrap/rank_communicator.h"

#include "comm/rendezvous/rank_rendezvous.h"
#include "comm/staged_transport.h"

namespace dfrun::comm {
namespace {

std::unique_ptr<NetworkMemory> MemoryFor(Transport& transport) {
  return transport.capabilities().wants_registered() ? std::make_unique<NetworkMemory>(transport) : nullptr;
}

std::unique_ptr<Transport> Staged(std::unique_ptr<Transport> transport, NetworkMemory* memory) {
  if (memory == nullptr) return transport;
  return std::make_unique<StagedTransport>(std::move(transport), *memory);
}

}  // namespace

RankCommunicator::RankCommunicator(std::unique_ptr<Transport> tensors, std::unique_ptr<Transport> control)
    // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): it loses the memory that unique pointers own
    : memory_(MemoryFor(*tensors)), tensors_(Staged(std::move(tensors), memory_.get())), control_(std::move(control)) {}

std::unique_ptr<StepRendezvous> RankCommunicator::NewRendezvous(int32_t slot, std::span<const ChannelEndpoint> ends) {
  return std::make_unique<RankRendezvous>(*tensors_, slot, ends);
}

std::vector<int> RankCommunicator::wake_descriptors() const {
  if (tensors_->wake_descriptor() < 0 || control_.wake_descriptor() < 0) return {};
  return {tensors_->wake_descriptor(), control_.wake_descriptor()};
}

// Makes the first poll after the sleep look for control messages too.
bool RankCommunicator::ArmWake() {
  polls_.store(kPollsPerControl - 1, std::memory_order_relaxed);
  return tensors_->ArmWake() && control_.ArmWake();
}

}  // namespace dfrun::comm
