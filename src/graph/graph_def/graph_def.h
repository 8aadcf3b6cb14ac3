// Graphs as GraphDef, the public exchange format: files, and the wire form of partitions.
//
// Import takes nodes in any order, with loops closed by NextIteration -> Merge edges; fills in default attrs; turns
// `_class: loc:@x` into colocate_with; keeps the parts that the graph does not interpret (function library, versions,
// debug information) for the next export. An export and its import give the same text dump.
// Files are hostile: every size is checked, and an error names the node that is wrong.
// Thread safety: functions without state.
#ifndef DFRUN_SRC_GRAPH_GRAPH_DEF_GRAPH_DEF_H_
#define DFRUN_SRC_GRAPH_GRAPH_DEF_GRAPH_DEF_H_

#include <string>
#include <string_view>

#include "src/graph/graph.h"

namespace dfrun {

enum class GraphDefFormat { kBinary, kText };

// Returns InvalidArgument for data that is no graph. Nodes of unknown ops or with unknown attrs become nodes that no
// run may need (unknown_ops.h).
Result<Graph> ImportGraphDef(std::string_view data, GraphDefFormat format,
                             const OpRegistry& ops = OpRegistry::Builtin());
// Adds the nodes of a GraphDef, which may read those of the graph by name; the ids of existing nodes stay. The new
// nodes may call functions of this GraphDef and of those that the graph was imported from. InvalidArgument as above,
// and for a name that is taken; the graph is then as before.
Status ExtendGraph(Graph& graph, std::string_view data, GraphDefFormat format);
// Writes a graph. Equal graphs give equal bytes.
std::string ExportGraphDef(const Graph& graph, GraphDefFormat format);

// The graph of a file of any kind that ReadGraphFile() (graph_file.h) reads, with its errors.
Result<Graph> ReadGraphDefFile(const std::string& path, const OpRegistry& ops = OpRegistry::Builtin());
// The format for a file of this name: text if it ends in .pbtxt or .txt, else binary.
GraphDefFormat GraphDefFormatOf(const std::string& path);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_GRAPH_DEF_GRAPH_DEF_H_
