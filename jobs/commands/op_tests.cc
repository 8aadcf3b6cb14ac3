// Finds the tests of each op: golden cases (tests/golden/FORMAT.md), exported graphs, sources of tests.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string_view>

#include "jobs/commands/op_listing.h"
#include "kernels/io/inflate.h"
#include "src/graph/graph_def/graph_def_parse.h"
#include "src/graph/proto/saved_model.pb.h"

namespace dfrun::jobs {
namespace {

using OpTestsByName = std::map<std::string, OpTests>;

constexpr std::string_view kCases = ".txt.gz";  // the ending of a file of golden cases
constexpr std::string_view kCase = "case ";
constexpr size_t kMaxText = size_t{256} << 20;

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

Status CountCases(const std::string& path, OpTestsByName& tests) {
  const Result<std::string> text = Inflate(ReadFile(path), Compression::kGzip, kMaxText);
  DF_TRY(text.status().Annotate(path));
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    if (line.compare(0, kCase.size(), kCase) != 0) continue;
    std::istringstream words(line.substr(kCase.size()));
    std::string op;
    words >> op;
    ++tests[op].cases;
  }
  return Status();
}

// Reads the graph of a GraphDef, or the first one of a SavedModel.
Result<proto::GraphDef> ReadGraph(const std::string& path) {
  const std::string data = ReadFile(path);
  proto::GraphDef def;
  const Status is_graph = ParseGraphDef(data, GraphDefFormat::kBinary, def);
  if (is_graph.ok()) return def;
  proto::SavedModel saved;
  const bool is_saved = ParseMessage(data, GraphDefFormat::kBinary, saved).ok() && saved.meta_graphs_size() > 0;
  if (is_saved) return saved.meta_graphs(0).graph_def();
  return Error(Code::kBadSpec, path, ": ", is_graph.message());
}

// Counts a graph for the ops of its nodes and of its functions.
Status CountGraph(const std::string& path, OpTestsByName& tests) {
  DF_ASSIGN(const proto::GraphDef def, ReadGraph(path));
  std::set<std::string> ops;
  for (const proto::NodeDef& node : def.node()) ops.insert(node.op());
  for (const auto& function : def.library().function()) {
    for (const proto::NodeDef& node : function.node_def()) ops.insert(node.op());
  }
  for (const std::string& op : ops) ++tests[op].graphs;
  return Status();
}

// Notes a source for the ops whose names stand in quotes in it.
void NoteSource(const std::string& path, OpTestsByName& tests) {
  std::istringstream parts(ReadFile(path));
  std::set<std::string> quoted;
  for (std::string part; std::getline(parts, part, '"');) quoted.insert(part);
  for (const OpDef* op : OpRegistry::Builtin().List()) {
    if (quoted.count(op->name) == 0) continue;
    OpTests& known = tests[op->name];
    if (known.test.empty()) known.test = path;
  }
}

// Reads lines of the form "Op: dtypes".
void NoteGpuKernels(const std::string& path, OpTestsByName& tests) {
  std::istringstream lines(ReadFile(path));
  for (std::string line; std::getline(lines, line);) {
    const size_t colon = line.find(": ");
    if (colon != std::string::npos) tests[line.substr(0, colon)].gpu = line.substr(colon + 2);
  }
}

bool IsBelow(const std::filesystem::path& file, const std::filesystem::path& directory) {
  return std::mismatch(directory.begin(), directory.end(), file.begin(), file.end()).first == directory.end();
}

}  // namespace

Result<std::map<std::string, OpTests>> FindOpTests(const std::string& directory) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory, error)) {
    if (entry.is_regular_file()) paths.push_back(entry.path().string());
  }
  if (error) return IoError("cannot read the directory '", directory, "': ", error.message());
  std::sort(paths.begin(), paths.end());
  OpTestsByName tests;
  const std::filesystem::path root(directory);
  for (const std::string& path : paths) {
    const std::filesystem::path file(path);
    if (path.ends_with(kCases) && file.parent_path() == root / "golden") DF_TRY(CountCases(path, tests));
    if (file.extension() == ".pb") DF_TRY(CountGraph(path, tests));
    if (file.extension() == ".cc" && !IsBelow(file, root / "fuzz")) NoteSource(path, tests);
  }
  NoteGpuKernels((root / "golden/registry/gpu.txt").string(), tests);
  return tests;
}

}  // namespace dfrun::jobs
