#include "src/job/numerics_finding.h"

#include "src/graph/location_prefix.h"

namespace dfrun {

bool IsNumericsFinding(const Status& status) {
  return status.code() == Code::kNotFinite && status.message().starts_with("node '");
}

std::string NodeInFinding(const Status& found) {
  const std::string& message = found.message();
  const size_t begin = message.find('\'') + 1;
  return message.substr(begin, message.find('\'', begin) - begin);
}

std::string LocationOfFinding(const Graph& graph, const Status& found) {
  const NodeId id = graph.Find(NodeInFinding(found));
  return id < 0 ? "" : LocationPrefix(graph, graph.node(id).location);
}

std::string DescribeFinding(const std::vector<InputSpec>& inputs, const Status& found) {
  const std::string node = NodeInFinding(found);
  for (const InputSpec& input : inputs) {
    const std::string read = input.name + "/read";
    if (node != read && !node.ends_with("/" + read)) continue;
    return StrCat("the data of input '", input.name, "' hold it: ", found.message());
  }
  return found.message();
}

}  // namespace dfrun
