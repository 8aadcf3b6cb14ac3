// Lowers collectives to nodes that can run: Sends, Recvs and sums, or a node of each participant, as
// src/collectives/choice.h says. All participants stand in the one graph that the master compiles, so that each edge
// between two of them is a channel as any other.
//
// TensorFlow's (CollectiveReduce, CollectiveGather, CollectiveBcastSend and -Recv, and the V2 ops): the `group_size`
// nodes with one group_key and instance_key, in the order of their device constraints (job, task, type, index), then of
// their names. The keys of V2 ops are inputs, and must be constants; their ordering tokens say nothing here, where
// edges of the graph give the order.
// dfrun's own (AllReduce, AllGather, ReduceScatter, Broadcast) have all participants in one node: participant i is
// where input i is. Broadcast's are wherever its outputs are read, so it always becomes edges.
#ifndef DFRUN_SRC_PASSES_COLLECTIVES_H_
#define DFRUN_SRC_PASSES_COLLECTIVES_H_

#include "src/collectives/choice.h"
#include "src/graph/graph.h"

namespace dfrun {

// Lowers the collectives of a pruned graph that is not placed yet. InvalidArgument names the nodes: a group of which
// the step has not all participants, or too many; participants that do not agree on op, dtype, shape or attrs;
// participants that wait for one another's result. After an error the graph is of no use.
Status LowerCollectives(Graph& graph, CollectivesOption option = CollectivesOption::kAuto);

// Gives the participants of a placed graph their implementation, or makes them Sends, Recvs and sums where none suits
// the devices that they are on.
Status ChooseCollectives(Graph& graph, CollectivesOption option);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_COLLECTIVES_H_
