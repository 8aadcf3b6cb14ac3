#include <cerrno>
#include <cstring>
#include <fstream>

#include "src/graph/graph_def.h"
#include "src/graph/graph_file.h"

namespace dfrun {
namespace {

bool IsTextPath(std::string_view path) {
  return path.ends_with(".pbtxt") || path.ends_with(".txt");
}

}  // namespace

Result<Graph> ReadGraphDefFile(const std::string& path, const OpRegistry& ops) {
  DF_ASSIGN(GraphFile file, ReadGraphFile(path, {}, ops));
  return std::move(file.graph);
}

Status WriteGraphDefFile(const Graph& graph, const std::string& path) {
  const std::string data = ExportGraphDef(graph, IsTextPath(path) ? GraphDefFormat::kText : GraphDefFormat::kBinary);
  std::ofstream out(path, std::ios::binary);
  out.write(data.data(), static_cast<std::streamsize>(data.size()));
  out.close();
  if (!out) return IoError("cannot write '", path, "': ", std::strerror(errno));
  return Status();
}

}  // namespace dfrun
