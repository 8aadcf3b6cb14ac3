#include "src/graph/graph_def/dot.h"

#include <unordered_map>

#include "src/graph/graph_def/unknown_ops.h"

namespace dfrun {
namespace {

std::string Escape(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string Quote(std::string_view text) {
  return StrCat("\"", Escape(text), "\"");
}

// Nodes of different clusters may have the same name.
std::string Id(size_t cluster, NodeId node) {
  return StrCat("n", cluster, "_", node);
}

void PrintEdges(size_t cluster, const Graph& graph, const Node& node, std::string& out) {
  for (Output o : node.inputs) {
    if (!o.valid()) continue;
    out += StrCat("  ", Id(cluster, o.node), " -> ", Id(cluster, node.id),
                  " [label=", Quote(StrCat(graph.dtype(o), graph.shape(o))), "];\n");
  }
  for (NodeId id : node.control_inputs) {
    out += StrCat("  ", Id(cluster, id), " -> ", Id(cluster, node.id), " [style=dashed];\n");
  }
}

void PrintCluster(size_t cluster, const DotCluster& what, std::string& out) {
  if (!what.label.empty()) out += StrCat("  subgraph cluster_", cluster, " {\n  label=", Quote(what.label), ";\n");
  for (const Node& n : what.graph->nodes()) {
    out += StrCat("  ", Id(cluster, n.id), " [label=\"", Escape(n.name), "\\n", OpNameOf(n),
                  IsUnknown(n) ? "\", style=dotted];" : "\"];\n");
  }
  if (!what.label.empty()) out += "  }\n";
  for (const Node& n : what.graph->nodes()) PrintEdges(cluster, *what.graph, n, out);
}

int64_t Channel(const Node& node) {
  return *node.attrs.GetOr<int64_t>("channel", -1);
}

void PrintChannels(std::span<const DotCluster> clusters, std::string& out) {
  std::unordered_map<int64_t, std::string> receivers;
  for (size_t c = 0; c < clusters.size(); ++c) {
    for (const Node& n : clusters[c].graph->nodes()) {
      if (n.op->name == "_Recv") receivers[Channel(n)] = Id(c, n.id);
    }
  }
  for (size_t c = 0; c < clusters.size(); ++c) {
    for (const Node& n : clusters[c].graph->nodes()) {
      if (n.op->name != "_Send") continue;
      auto to = receivers.find(Channel(n));
      if (to != receivers.end()) out += StrCat("  ", Id(c, n.id), " -> ", to->second, " [style=bold];\n");
    }
  }
}

}  // namespace

std::string DumpDot(std::span<const DotCluster> clusters) {
  std::string out = "digraph dfrun {\n  node [shape=box];\n";
  for (size_t c = 0; c < clusters.size(); ++c) PrintCluster(c, clusters[c], out);
  PrintChannels(clusters, out);
  return out + "}\n";
}

std::string DumpDot(const Graph& graph) {
  const DotCluster cluster{"", &graph};
  return DumpDot(std::span(&cluster, 1));
}

}  // namespace dfrun
