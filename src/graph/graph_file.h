// Reads graphs from all kinds of TensorFlow's files: GraphDef, MetaGraph, SavedModel, binary or text.
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
  std::optional<MetaGraph> meta;  // set for a MetaGraph or SavedModel
};

// `path`: a file, or the directory of a SavedModel. Its kind is found by its content. `tags` choose among the graphs of
// a SavedModel the one with exactly these; without tags the only graph is read, or that of {serve}. Io if the file
// cannot be read; BadSpec, which says what the file is and what to do, if it is no graph; Usage for tags that no graph
// has.
Result<GraphFile> ReadGraphFile(const std::string& path, const std::vector<std::string>& tags,
                                const OpRegistry& ops = OpRegistry::Builtin());

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_GRAPH_FILE_H_
