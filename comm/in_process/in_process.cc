#include "comm/in_process/in_process.h"

#include "comm/bootstrap/rank_communicator.h"
#include "comm/in_process/in_process_transport.h"

namespace dfrun::comm {

std::vector<std::unique_ptr<Communicator>> ConnectInProcess(int ranks) {
  const auto tensors = std::make_shared<InProcessHub>(ranks);
  const auto control = std::make_shared<InProcessHub>(ranks);
  std::vector<std::unique_ptr<Communicator>> all;
  all.reserve(static_cast<size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    all.push_back(std::make_unique<RankCommunicator>(std::make_unique<InProcessTransport>(tensors, rank),
                                                     std::make_unique<InProcessTransport>(control, rank)));
  }
  return all;
}

}  // namespace dfrun::comm
