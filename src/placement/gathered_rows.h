// Decides whether a gather from a table on another device should have the rows sent or the table.
#ifndef DFRUN_SRC_PLACEMENT_GATHERED_ROWS_H_
#define DFRUN_SRC_PLACEMENT_GATHERED_ROWS_H_

#include <cstdint>

#include "src/graph/graph.h"

namespace dfrun {

// The bytes that are sent if the gather `node` runs on its table's device: its indices and its result. -1: the node is
// no gather by value, or a shape is not known.
int64_t GatheredBytes(const Graph& graph, const Node& node);

// Returns true if those are fewer bytes than the table has.
bool GathersFewRows(const Graph& graph, const Node& node);

// The bytes of a value; -1 if its shape is not known.
int64_t BytesOf(const Graph& graph, Output value);

}  // namespace dfrun

#endif  // DFRUN_SRC_PLACEMENT_GATHERED_ROWS_H_
