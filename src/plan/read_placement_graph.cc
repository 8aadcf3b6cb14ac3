#include "src/plan/read_placement_graph.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "src/base/file.h"
#include "src/base/json/json_reader.h"

namespace dfrun {
namespace {

constexpr size_t kMaxGraphBytes = size_t{1} << 30;
constexpr double kMaxWhole = 9007199254740992;  // 2^53, up to which a double has all whole numbers

// A member of an object of the graph, with the place that errors name.
struct GraphMember {
  const JsonValue& object;
  std::string place;  // "nodes[3]"
};

Status WrongMember(const GraphMember& of, std::string_view name, const std::string& why) {
  return InvalidArgument(of.place.empty() ? "" : of.place + ".", name, ": ", why);
}

Result<const JsonValue*> FindMember(const GraphMember& of, std::string_view name) {
  if (!of.object.is_object()) return InvalidArgument(of.place, ": an object was expected");
  if (const JsonValue* value = of.object.Find(name)) return value;
  return WrongMember(of, name, "the member is missing");
}

Result<double> ReadNumber(const GraphMember& of, std::string_view name) {
  DF_ASSIGN(const JsonValue* value, FindMember(of, name));
  const Result<double> number = value->AsDouble();
  if (!number.ok()) return WrongMember(of, name, number.status().message());
  if (*number >= 0 && *number <= PlacementProblem::kMaxNumber) return *number;
  return WrongMember(of, name, StrCat("it is ", *number, ", and must be from 0 to ", PlacementProblem::kMaxNumber));
}

Result<int64_t> ReadWhole(const GraphMember& of, std::string_view name) {
  DF_ASSIGN(const JsonValue* value, FindMember(of, name));
  const Result<double> number = value->AsDouble();
  if (!number.ok()) return WrongMember(of, name, number.status().message());
  if (std::abs(*number) <= kMaxWhole && std::trunc(*number) == *number) return static_cast<int64_t>(*number);
  return WrongMember(of, name, StrCat("it is ", *number, ", and must be a whole number of at most 2^53"));
}

Result<int> ReadCount(const GraphMember& of, std::string_view name) {
  DF_ASSIGN(const int64_t count, ReadWhole(of, name));
  if (count >= 0 && count <= PlacementProblem::kMaxDevices) return static_cast<int>(count);
  return WrongMember(of, name, StrCat("it is ", count, ", and must be from 0 to ", PlacementProblem::kMaxDevices));
}

// Reads true, false, 0 or 1.
Result<bool> ReadFlag(const GraphMember& of, std::string_view name) {
  DF_ASSIGN(const JsonValue* value, FindMember(of, name));
  if (value->kind() == JsonValue::Kind::kBool) return value->AsBool();
  DF_ASSIGN(const int64_t number, ReadWhole(of, name));
  if (number == 0 || number == 1) return number == 1;
  return WrongMember(of, name, StrCat("it is ", number, ", and must be 0 or 1"));
}

Result<const JsonValue*> ReadArray(const GraphMember& of, std::string_view name) {
  DF_ASSIGN(const JsonValue* value, FindMember(of, name));
  if (value->kind() == JsonValue::Kind::kArray) return value;
  return WrongMember(of, name, "an array was expected");
}

struct GraphNode {
  int64_t id = 0;
  std::optional<int64_t> color;
  PlacementNode node;
};

Result<GraphNode> ReadGraphNode(const GraphMember& of) {
  GraphNode read;
  DF_ASSIGN(read.id, ReadWhole(of, "id"));
  read.node.name = StrCat("node ", read.id);
  DF_ASSIGN(read.node.runs_on_accelerator, ReadFlag(of, "supportedOnFpga"));
  DF_ASSIGN(read.node.cpu_time, ReadNumber(of, "cpuLatency"));
  DF_ASSIGN(read.node.accelerator_time, ReadNumber(of, "fpgaLatency"));
  DF_ASSIGN(read.node.bytes, ReadNumber(of, "size"));
  const JsonValue* color = of.object.Find("colorClass");
  if (color != nullptr && color->kind() != JsonValue::Kind::kNull) {
    DF_ASSIGN(read.color, ReadWhole(of, "colorClass"));
  }
  return read;
}

Result<std::vector<GraphNode>> ReadGraphNodes(const GraphMember& graph) {
  DF_ASSIGN(const JsonValue* array, ReadArray(graph, "nodes"));
  std::vector<GraphNode> nodes;
  for (const JsonValue& value : array->values()) {
    DF_ASSIGN(GraphNode node, ReadGraphNode({value, StrCat("nodes[", nodes.size(), "]")}));
    nodes.push_back(std::move(node));
  }
  if (nodes.empty()) return WrongMember(graph, "nodes", "there is no node");
  std::sort(nodes.begin(), nodes.end(), [](const GraphNode& a, const GraphNode& b) { return a.id < b.id; });
  const auto twice = std::adjacent_find(nodes.begin(), nodes.end(),
                                        [](const GraphNode& a, const GraphNode& b) { return a.id == b.id; });
  if (twice == nodes.end()) return nodes;
  return WrongMember(graph, "nodes", StrCat("two nodes have the id ", twice->id));
}

// Gives equal colours one group, and a node without a colour one of its own.
void NumberGroups(std::vector<GraphNode>& nodes) {
  std::map<int64_t, int> by_color;
  int groups = 0;
  for (GraphNode& node : nodes) {
    if (!node.color) {
      node.node.group = groups++;
      continue;
    }
    const auto [at, is_new] = by_color.emplace(*node.color, groups);
    if (is_new) ++groups;
    node.node.group = at->second;
  }
}

// The edges by node; the cost of each goes into its source.
class GraphEdges {
 public:
  explicit GraphEdges(std::vector<GraphNode>& nodes) : nodes_(nodes), has_cost_(nodes.size()) {
    for (size_t i = 0; i < nodes.size(); ++i) by_id_[nodes[i].id] = static_cast<int>(i);
  }

  Status Read(const GraphMember& graph) {
    DF_ASSIGN(const JsonValue* array, ReadArray(graph, "edges"));
    for (const JsonValue& value : array->values()) DF_TRY(ReadEdge({value, StrCat("edges[", edges_.size(), "]")}));
    return Status();
  }
  const std::vector<std::pair<int, int>>& edges() const { return edges_; }

 private:
  Result<int> ReadEnd(const GraphMember& of, std::string_view name) {
    DF_ASSIGN(const int64_t id, ReadWhole(of, name));
    const auto found = by_id_.find(id);
    if (found != by_id_.end()) return found->second;
    return WrongMember(of, name, StrCat("no node has the id ", id));
  }

  Status ReadEdge(const GraphMember& of) {
    DF_ASSIGN(const int from, ReadEnd(of, "sourceId"));
    DF_ASSIGN(const int to, ReadEnd(of, "destId"));
    DF_ASSIGN(const double cost, ReadNumber(of, "cost"));
    double& known = nodes_[from].node.output_cost;
    if (has_cost_[from] && known != cost) {
      return WrongMember(of, "cost",
                         StrCat("it is ", cost, ", and that of another edge of ", nodes_[from].node.name, " is ", known,
                                "; one output has one cost"));
    }
    known = cost;
    has_cost_[from] = true;
    edges_.emplace_back(from, to);
    return Status();
  }

  std::vector<GraphNode>& nodes_;
  std::vector<bool> has_cost_;
  std::unordered_map<int64_t, int> by_id_;
  std::vector<std::pair<int, int>> edges_;
};

}  // namespace

Result<PlacementGraph> ParsePlacementGraph(std::string_view text) {
  DF_ASSIGN(const JsonValue json, ParseJson(text));
  const GraphMember graph{json, ""};
  if (!json.is_object()) return InvalidArgument("an object with nodes and edges was expected");
  PlacementDevices devices;
  DF_ASSIGN(devices.accelerator_bytes, ReadNumber(graph, "maxSizePerFPGA"));
  DF_ASSIGN(devices.accelerators, ReadCount(graph, "maxFPGAs"));
  DF_ASSIGN(devices.cpus, ReadCount(graph, "maxCPUs"));
  DF_ASSIGN(std::vector<GraphNode> nodes, ReadGraphNodes(graph));
  NumberGroups(nodes);
  GraphEdges edges(nodes);
  DF_TRY(edges.Read(graph));
  std::vector<int64_t> ids;
  std::vector<PlacementNode> problem_nodes;
  for (GraphNode& node : nodes) {
    ids.push_back(node.id);
    problem_nodes.push_back(std::move(node.node));
  }
  DF_ASSIGN(PlacementProblem problem, PlacementProblem::Create(std::move(problem_nodes), edges.edges(), devices));
  return PlacementGraph{std::move(problem), std::move(ids)};
}

Result<PlacementGraph> ReadPlacementGraph(const std::string& path) {
  const Result<std::string> text = ReadFile(path, kMaxGraphBytes);
  if (!text.ok()) return NoInput(text.status().message());
  Result<PlacementGraph> graph = ParsePlacementGraph(*text);
  if (!graph.ok()) return graph.status().Annotate(path);
  return graph;
}

}  // namespace dfrun
