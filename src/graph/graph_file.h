// Graphs from files of every kind in which TensorFlow keeps them: GraphDef, MetaGraph, SavedModel, binary or text.
#ifndef DFRUN_SRC_GRAPH_GRAPH_FILE_H_
#define DFRUN_SRC_GRAPH_GRAPH_FILE_H_

#include <optional>
#include <string>
#include <vector>

#include "src/graph/graph.h"
#include "src/graph/meta_graph.h"

namespace dfrun {

struct GraphFile {
  Graph graph;
  std::optional<MetaGraph> meta;  // of a MetaGraph or SavedModel
};

// `path`: a file, or the directory of a SavedModel. What it is is found by its content. `tags` choose among the graphs
// of a SavedModel: that which has just these; none: the only one, or the one of {serve}. Io where it cannot be read,
// BadSpec where it is no graph, with what it is and what to do, Usage for tags that no graph has.
Result<GraphFile> ReadGraphFile(const std::string& path, const std::vector<std::string>& tags,
                                const OpRegistry& ops = OpRegistry::Builtin());

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_GRAPH_FILE_H_
