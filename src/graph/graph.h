// The graph: dense nodes with named ports, data edges and control edges.
//
// Invariants: node ids are 0..num_nodes()-1 and never change; names are unique; every node's attrs are resolved against
// its OpDef, its inputs' dtypes fit, and its output shapes are those of shape inference. Only back edges of loops (into
// Merge) may point at a later node, and they alone make cycles.
//
// Edges are stored at their readers; BuildConsumers() gives the other direction.
// Thread safety: as a standard container.
#ifndef DFRUN_SRC_GRAPH_GRAPH_H_
#define DFRUN_SRC_GRAPH_GRAPH_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/framework/op/op.h"
#include "src/graph/partial_constant.h"
#include "src/graph/source_location.h"

namespace dfrun {

using NodeId = int32_t;

struct Node {
  NodeId id = -1;
  std::string name;
  const OpDef* op = nullptr;
  AttrMap attrs;
  std::vector<Output> inputs;          // data edges, in the signature's order
  std::vector<NodeId> control_inputs;  // sorted, no doubles
  std::vector<TypedArg> input_types;   // types of the signature: an input of a plain type may read a ref output
  std::vector<TypedArg> output_types;
  std::vector<PartialShape> output_shapes;
  std::string device;         // constraint; after placement a full name
  std::string colocate_with;  // name of a node; empty: none
  SourceLocation location;

  int num_inputs() const { return static_cast<int>(inputs.size()); }
  int num_outputs() const { return static_cast<int>(output_types.size()); }
};

// The arguments of AddNode(). `inputs` may hold {-1, 0} for an edge that SetInput() adds later (loops), where type
// attrs are then given.
struct NodeSpec {
  std::string name;
  std::string op;
  std::vector<Output> inputs;
  std::vector<NodeId> control_inputs;
  AttrMap attrs;
  std::string device;
  std::string colocate_with;
  SourceLocation location;
};

// The readers of every node, in CSR form, when the object was made. Later changes of the graph do not show.
struct Consumers {
  struct Edge {
    NodeId node;    // the reader
    int32_t port;   // port of this node's output; -1: control edge
    int32_t input;  // input of the reader; -1: control edge
  };
  std::vector<int32_t> begin;  // num_nodes + 1
  std::vector<Edge> edges;
  std::span<const Edge> of(NodeId id) const {
    return {edges.data() + begin[id], static_cast<size_t>(begin[id + 1] - begin[id])};
  }
};

// Parts of an imported GraphDef that the graph does not interpret, kept for export: serialised messages.
struct GraphDefExtras {
  std::string graph;                                   // a GraphDef without nodes: library, versions
  std::unordered_map<std::string, std::string> nodes;  // NodeDefs by name, without the parts that Node holds
};

// A graph of nodes of one op registry. The head of this file has its invariants.
// Thread safety: as a standard container.
class Graph {
 public:
  explicit Graph(const OpRegistry& ops = OpRegistry::Builtin());
  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) noexcept;
  ~Graph();
  // Returns a deep copy.
  Graph Clone() const;

  const OpRegistry& ops() const { return *ops_; }

  // Adds a node: resolves its attrs, checks its inputs, infers its shapes. InvalidArgument names node, op and inputs
  // with their shapes; the graph is then as before.
  Result<NodeId> AddNode(NodeSpec spec);
  // Adds a complete node of another graph with the same registry; only its id changes. Its edges must already name
  // nodes of this graph (back edges of loops name nodes that are added later) and its name must be free. Nothing is
  // inferred or checked. For passes that rebuild a graph.
  NodeId AddResolved(Node node);
  // Allocates memory for the names of this many nodes.
  void Reserve(int nodes) { by_name_.reserve(static_cast<size_t>(nodes)); }
  // Connects an input that was left open, or moves an edge; checks dtype. Does not infer shapes again.
  Status SetInput(NodeId node, int input, Output value);
  void AddControlEdge(NodeId from, NodeId to);
  // Returns true for an input of a Merge that comes from a NextIteration: the edge that closes a loop.
  bool IsBackEdge(const Node& reader, int input) const;

  // Infers all shapes again, in topological order, after edges have been moved or feeds have got a shape. Shapes in a
  // loop hold for every iteration. An error names the node; the shapes of the nodes after it are then as before.
  Status InferShapes();
  // Returns the value of an output that Consts and arithmetic on shapes determine; null if it is not known.
  const Tensor* ConstantValue(Output value) const;
  // Returns the known elements of an integer scalar or vector; null if none is known.
  const PartialConstant* PartialConstantOf(Output value) const;

  // Returns the shape of the variable to which an output of dtype resource is the handle; of unknown rank if it is not
  // known.
  PartialShape HandleShape(Output handle) const;

  int num_nodes() const { return static_cast<int>(nodes_.size()); }
  const Node& node(NodeId id) const { return nodes_[id]; }
  Node& mutable_node(NodeId id) { return nodes_[id]; }
  const std::deque<Node>& nodes() const { return nodes_; }
  // Returns the node of this name; -1 if there is none.
  NodeId Find(std::string_view name) const;
  // Parses "name:port", or "name" for port 0; NotFound suggests a near name.
  Result<Output> ParseOutput(std::string_view text) const;
  // Returns the first free name of `name`, `name_1`, `name_2`, ...
  std::string UniqueName(std::string_view name) const;

  DType dtype(Output o) const { return nodes_[o.node].output_types[o.port].dtype; }
  bool is_ref(Output o) const { return nodes_[o.node].output_types[o.port].is_ref; }
  const PartialShape& shape(Output o) const { return nodes_[o.node].output_shapes[o.port]; }

  Consumers BuildConsumers() const;
  // Returns every node after its inputs and control inputs (back edges of loops aside), ties by id. InvalidArgument
  // names the nodes of a cycle.
  Result<std::vector<NodeId>> TopologicalOrder() const;
  // Returns a new graph of the nodes for which keep[id] is true, in the same order. `new_ids`, if given, maps old ids
  // to new ones (-1: removed). An edge to a removed node is a programmer's error.
  Graph Subset(const std::vector<bool>& keep, std::vector<NodeId>* new_ids = nullptr) const;

  // Null if the graph was not imported.
  const std::shared_ptr<const GraphDefExtras>& extras() const { return extras_; }
  void set_extras(std::shared_ptr<const GraphDefExtras> extras) { extras_ = std::move(extras); }

  // The spec files, by SourceLocation::file.
  std::vector<std::string>& files() { return files_; }
  const std::vector<std::string>& files() const { return files_; }
  // The calls of functions, by SourceLocation::call.
  std::vector<SourceCall>& calls() { return calls_; }
  const std::vector<SourceCall>& calls() const { return calls_; }
  // Takes over the files and calls of `other`, so that the SourceLocations of its nodes hold in this graph too.
  void TakeLocations(const Graph& other);
  // "file:3:7: node 'h/x' (op MatMul; in function 'dense', called at file:9:3)", for messages.
  std::string Describe(NodeId id) const;

 private:
  // The hash is not noexcept: the map then stores every name's hash, and reads no names to grow or to search a bucket.
  struct NameHash {
    using is_transparent = void;
    size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
  };
  template <class T>
  using ByName = std::unordered_map<std::string, T, NameHash, std::equal_to<>>;

  Graph(const Graph&);

  Status FillNode(NodeSpec spec, Node& node) const;
  Status InferNode(Node& node);
  // Makes one pass over all nodes; the Merges in `loops` get the shapes given there.
  Status InferInOrder(const std::vector<NodeId>& order, const std::unordered_map<NodeId, PartialShape>& loops);
  Status AtNode(const Node& node, const Status& status) const;
  void NoteName(const std::string& name, NodeId id);
  std::string Suggest(std::string_view name) const;

  const OpRegistry* ops_;
  std::deque<Node> nodes_;
  ByName<NodeId> by_name_;
  ByName<int> free_suffix_;  // base: the least n >= 1 for which no node is named base_n; absent: 1
  std::unordered_map<NodeId, std::shared_ptr<const PartialConstant>> known_;  // constants known of output 0
  std::shared_ptr<const GraphDefExtras> extras_;
  std::vector<std::string> files_;
  std::vector<SourceCall> calls_;
};

// Returns the name of an output: "name" for port 0, else "name:port".
std::string OutputName(const Graph& graph, Output output);
// Whether a name obeys TensorFlow's rule: [A-Za-z0-9.][A-Za-z0-9_.\\/>-]*; names that begin with '_' are the system's
// own.
bool IsValidNodeName(std::string_view name);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_GRAPH_H_
