// Tells the nodes of one replica from those of another, in compiled parts.
#ifndef DFRUN_JOBS_PLAN_REPLICA_NODES_H_
#define DFRUN_JOBS_PLAN_REPLICA_NODES_H_

#include <cstdint>
#include <string_view>

#include "src/graph/graph.h"

namespace dfrun::jobs {

// Whether the attrs of two nodes are equal but for those by which replicas differ, those of channels among them, and
// for `other_name`.
bool AreEqualBut(const AttrMap& a, const AttrMap& b, std::string_view other_name = "");

// Whether the node is a Send or a Recv.
bool IsEnd(const Node& node);

// The channel of a Send or Recv; -1: there is none.
int64_t NumberOfChannel(const Node& node);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_PLAN_REPLICA_NODES_H_
