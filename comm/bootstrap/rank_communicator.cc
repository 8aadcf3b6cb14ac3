#include "comm/bootstrap/rank_communicator.h"

#include "comm/rendezvous/rank_rendezvous.h"

namespace dfrun::comm {

std::unique_ptr<StepRendezvous> RankCommunicator::NewRendezvous(int32_t slot, std::span<const ChannelEndpoint> ends) {
  return std::make_unique<RankRendezvous>(*tensors_, slot, ends);
}

}  // namespace dfrun::comm
