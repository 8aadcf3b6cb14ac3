// Reads of variables on other devices, in order.
//
// A reader sees a variable's value at the time when it runs (src/graph/order/read_order.h), but to another device the
// value is sent before that. Where an update of the variable comes before the reader, the value that is sent is that of
// an Identity on the variable's device, which comes after the update too:
//
//   variable -> Identity -> the reader on another device
//               ^ waits for the sources of the reader that come after an update
//
// The awaited node is the one on the variable's device where the path from the update to the reader leaves that device,
// and costs no message; where the path goes through a Merge or an end of a loop on another device, which decide whether
// their inputs count, it is that node. Readers that wait for the same nodes share an Identity. Where no update comes
// before a reader, the variable is sent as it is, as soon as the step begins.
#ifndef DFRUN_SRC_PARTITION_REMOTE_READS_H_
#define DFRUN_SRC_PARTITION_REMOTE_READS_H_

#include <optional>

#include "src/graph/graph.h"

namespace dfrun {

// The graph with these Identities; nothing where it needs none. `placed`: each node has a device; the nodes that lead
// into loops and out of them are where they are to be.
Result<std::optional<Graph>> OrderRemoteReads(const Graph& placed);

}  // namespace dfrun

#endif  // DFRUN_SRC_PARTITION_REMOTE_READS_H_
