// Positions in the files of a spec, and the calls of functions that lead to them.
#ifndef DFRUN_SRC_GRAPH_SOURCE_LOCATION_H_
#define DFRUN_SRC_GRAPH_SOURCE_LOCATION_H_

#include <cstdint>
#include <string>

namespace dfrun {

// The position in a spec at which a node was written, for errors. `file` is an index into Graph::files(); -1: unknown.
struct SourceLocation {
  int32_t file = -1;
  int32_t line = 0;
  int32_t column = 0;
  int32_t call = -1;  // an index into Graph::calls(): the call of a function that made the node; -1: none
};

// A call of a function of a spec.
struct SourceCall {
  std::string function;
  SourceLocation location;  // position; `location.call` is the call around this one
};

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_SOURCE_LOCATION_H_
