// Reads graphs from all kinds of TensorFlow's files: GraphDef, MetaGraph, SavedModel, binary or text.
#ifndef DFRUN_SRC_GRAPH_GRAPH_DEF_GRAPH_FILE_H_
#define DFRUN_SRC_GRAPH_GRAPH_DEF_GRAPH_FILE_H_

#include <optional>
#include <string>
#include <vector>

#include "src/graph/graph.h"
#include "src/graph/graph_def/meta_graph.h"

namespace dfrun {

struct GraphFile {
  Graph graph;
  std::optional<MetaGraph> meta;  // set for a MetaGraph or SavedModel
};

// Reads a graph. `path`: a file, or the directory of a SavedModel; its content decides its kind. `tags` choose among
// the graphs of a SavedModel the one with exactly these; without tags the only graph is read, or that of {serve}. Io if
// the file cannot be read; BadSpec, which names the kind of the file and the remedy, if it is no graph; Usage for tags
// that no graph has.
Result<GraphFile> ReadGraphFile(const std::string& path, const std::vector<std::string>& tags,
                                const OpRegistry& ops = OpRegistry::Builtin());

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_GRAPH_DEF_GRAPH_FILE_H_
