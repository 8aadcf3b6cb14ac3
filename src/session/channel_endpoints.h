// The channels between ranks of a partition.
#ifndef DFRUN_SRC_SESSION_CHANNEL_ENDPOINTS_H_
#define DFRUN_SRC_SESSION_CHANNEL_ENDPOINTS_H_

#include <vector>

#include "src/framework/communicator.h"
#include "src/graph/graph.h"

namespace dfrun {

// Appends those of the Send and Recv nodes of a partition of rank `rank` whose other end is on another rank.
Status AddChannelEndpoints(const Graph& partition, int rank, std::vector<ChannelEndpoint>& ends);

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_CHANNEL_ENDPOINTS_H_
