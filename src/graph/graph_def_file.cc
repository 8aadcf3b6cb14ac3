#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "src/graph/graph_def.h"

namespace dfrun {
namespace {

bool HasExtension(std::string_view path, std::string_view extension) {
  return path.size() >= extension.size() && path.substr(path.size() - extension.size()) == extension;
}

bool IsTextPath(std::string_view path) {
  return HasExtension(path, ".pbtxt") || HasExtension(path, ".txt");
}

Result<std::string> ReadFile(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return IoError("cannot read '", path, "': ", std::strerror(errno));
  if (!S_ISREG(info.st_mode)) return IoError("cannot read '", path, "': it is not a regular file");
  std::ifstream in(path, std::ios::binary);
  std::string data(static_cast<size_t>(info.st_size), '\0');
  if (!in.read(data.data(), info.st_size)) return IoError("cannot read '", path, "': ", std::strerror(errno));
  return data;
}

}  // namespace

GraphDefFormat DetectGraphDefFormat(const std::string& path, std::string_view data) {
  if (IsTextPath(path)) return GraphDefFormat::kText;
  if (HasExtension(path, ".pb")) return GraphDefFormat::kBinary;
  constexpr size_t kLooked = 4096;
  const std::string_view head = data.substr(0, kLooked);
  const bool binary = std::any_of(head.begin(), head.end(),
                                  [](unsigned char c) { return c < 0x20 && c != '\n' && c != '\t' && c != '\r'; });
  return binary ? GraphDefFormat::kBinary : GraphDefFormat::kText;
}

Result<Graph> ReadGraphDefFile(const std::string& path, const OpRegistry& ops) {
  DF_ASSIGN(const std::string data, ReadFile(path));
  Result<Graph> graph = ImportGraphDef(data, DetectGraphDefFormat(path, data), ops);
  if (!graph.ok()) return Error(Code::kBadSpec, path, ": ", graph.status().message());
  return graph;
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
