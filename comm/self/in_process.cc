#include "comm/self/in_process.h"

#include "comm/bootstrap/rank_communicator.h"
#include "comm/self/self_transport.h"

namespace dfrun::comm {

std::vector<std::unique_ptr<Communicator>> ConnectInProcess(int ranks) {
  const auto tensors = std::make_shared<SelfHub>(ranks);
  const auto control = std::make_shared<SelfHub>(ranks);
  std::vector<std::unique_ptr<Communicator>> all;
  all.reserve(static_cast<size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    all.push_back(std::make_unique<RankCommunicator>(std::make_unique<SelfTransport>(tensors, rank),
                                                     std::make_unique<SelfTransport>(control, rank)));
  }
  return all;
}

}  // namespace dfrun::comm
