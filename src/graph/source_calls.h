// Names a position in a spec for messages, with the calls of functions around it.
#ifndef DFRUN_SRC_GRAPH_SOURCE_CALLS_H_
#define DFRUN_SRC_GRAPH_SOURCE_CALLS_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "src/graph/source_location.h"

namespace dfrun {

struct ShownLocation {
  SourceLocation location;
  std::string calls;  // "; in function 'f', called at m.yaml:4:32"
};

// `chain`: the calls, the innermost first. The reader's own line is first: a position in the library of functions
// becomes that of the call outside of it, and is named behind: "; in function 'dense', at lib/nn.yaml:12:15".
ShownLocation ShowLocation(SourceLocation location, std::span<const SourceCall> chain,
                           const std::function<bool(int32_t file)>& is_library,
                           const std::function<std::string(SourceLocation)>& print);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_SOURCE_CALLS_H_
