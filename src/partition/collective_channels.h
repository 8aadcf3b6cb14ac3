// The channels of collectives whose participants have nodes.
#ifndef DFRUN_SRC_PARTITION_COLLECTIVE_CHANNELS_H_
#define DFRUN_SRC_PARTITION_COLLECTIVE_CHANNELS_H_

#include <cstdint>

#include "src/graph/graph.h"
#include "src/placement/cluster.h"

namespace dfrun {

// Sets the attrs `ranks` and `channel` of the participants that have an implementation, in a placed graph, and advances
// *next_channel by the channels that the implementations need.
Status AllotCollectiveChannels(Graph& placed, const Cluster& cluster, int32_t* next_channel);

}  // namespace dfrun

#endif  // DFRUN_SRC_PARTITION_COLLECTIVE_CHANNELS_H_
