// Gathers from tables that are on another device: whether the rows or the table should travel.
#ifndef DFRUN_SRC_PLACEMENT_GATHERED_ROWS_H_
#define DFRUN_SRC_PLACEMENT_GATHERED_ROWS_H_

#include <cstdint>

#include "src/graph/graph.h"

namespace dfrun {

// Bytes that travel where the node, a gather, runs beside its table: its indices and the rows that it gives. -1: it is
// no gather by value, or a shape is not known.
int64_t GatheredBytes(const Graph& graph, const Node& node);

// Whether that is less than the table has.
bool GathersFewRows(const Graph& graph, const Node& node);

// Of a whole value; -1 where its shape is not known.
int64_t BytesOf(const Graph& graph, Output value);

}  // namespace dfrun

#endif  // DFRUN_SRC_PLACEMENT_GATHERED_ROWS_H_
