#include "comm/bootstrap/rank_communicator.h"

#include "comm/rendezvous/rank_rendezvous.h"

namespace dfrun::comm {

std::unique_ptr<StepRendezvous> RankCommunicator::NewRendezvous() {
  return std::make_unique<RankRendezvous>(*tensors_);
}

int32_t RankCommunicator::max_channels() const {
  return MaxChannels(tensors_->max_tag());
}

}  // namespace dfrun::comm
