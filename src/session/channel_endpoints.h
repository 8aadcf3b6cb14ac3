// The channels between ranks of a partition.
#ifndef DFRUN_SRC_SESSION_CHANNEL_ENDPOINTS_H_
#define DFRUN_SRC_SESSION_CHANNEL_ENDPOINTS_H_

#include <vector>

#include "src/framework/communication/communicator.h"
#include "src/graph/graph.h"

namespace dfrun {

// Appends those of the Sends, Recvs and participants of collectives in a partition of rank `rank` whose other end is on
// another rank.
Status AddChannelEndpoints(const Graph& partition, int rank, std::vector<ChannelEndpoint>& ends);

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_CHANNEL_ENDPOINTS_H_
