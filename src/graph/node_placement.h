// A placement that was chosen before a job's graph is built: devices of its nodes, by name.
#ifndef DFRUN_SRC_GRAPH_NODE_PLACEMENT_H_
#define DFRUN_SRC_GRAPH_NODE_PLACEMENT_H_

#include <map>
#include <string>
#include <string_view>

namespace dfrun {

// Thread safety: as a standard container.
struct NodePlacement {
  // Full names of devices, by the names of nodes in the job's graph. Nodes without an entry are placed by the rules.
  std::map<std::string, std::string, std::less<>> devices;
  std::string source;  // the file that it is from, for errors
  // Whether nodes that the job has not, or that must be elsewhere, are errors. Those of a run that is resumed with
  // another graph are passed over.
  bool is_strict = true;

  bool empty() const { return devices.empty(); }
  // The device of a node; null: it has none here. The pointer lasts as long as the entry.
  const std::string* Find(std::string_view node) const {
    const auto found = devices.find(node);
    return found == devices.end() ? nullptr : &found->second;
  }
};

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_NODE_PLACEMENT_H_
