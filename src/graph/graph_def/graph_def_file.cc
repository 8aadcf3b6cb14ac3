#include <cerrno>
#include <cstring>
#include <fstream>

#include "src/graph/graph_def/graph_def.h"
#include "src/graph/graph_def/graph_file.h"

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

GraphDefFormat GraphDefFormatOf(const std::string& path) {
  return IsTextPath(path) ? GraphDefFormat::kText : GraphDefFormat::kBinary;
}

}  // namespace dfrun
