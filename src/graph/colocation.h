// The `_class` attr of the public format, which names the nodes whose device a node shares.
#ifndef DFRUN_SRC_GRAPH_COLOCATION_H_
#define DFRUN_SRC_GRAPH_COLOCATION_H_

#include <string>
#include <string_view>
#include <vector>

#include "src/framework/values/attr.h"

namespace dfrun {

inline constexpr std::string_view kClassAttr = "_class";

// The name after "loc:@"; empty for an entry of `_class` without that prefix.
std::string_view ColocationName(std::string_view entry);
// The entry of `_class` for a name.
std::string ColocationEntry(std::string_view name);
// The names in the node's `_class`, in order.
std::vector<std::string_view> ColocationNames(const AttrMap& attrs);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_COLOCATION_H_
