// The names that expressions see while a graph, or a call of a function, is built.
#ifndef DFRUN_SRC_SPEC_CALL_FRAME_H_
#define DFRUN_SRC_SPEC_CALL_FRAME_H_

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "src/spec/entry.h"
#include "src/spec/initializer.h"

namespace dfrun {

// The meaning of a name: the outputs of a node, or the results of a function.
struct Value {
  std::vector<Output> outputs = {};
  bool failed = false;            // an error was reported, so readers fail without reporting another
  bool absent = false;            // the node is there in the other mode alone
  SourceLocation absent_by = {};  // where its `if` is
};

// The properties of nodes beside op, inputs and attrs.
struct NodeOptions {
  std::string device;
  std::string colocate_with;
  bool compress = false;
  std::vector<NodeId> controls;
};

struct CallFrame {
  std::string scope;     // the prefix of its entries' names: "h1" makes h1/W; empty: the graph itself
  const Params* params;  // not null
  std::unordered_map<std::string_view, Value> values;
  std::unordered_set<std::string_view> entries;  // names below the scope that are reserved for entries
  FamilyMap families;
  NodeOptions options;                // options of all of its nodes
  const CallFrame* around = nullptr;  // in a loop: the frame whose names are visible too
  // The called function and the position of the call; null and no position for the graph.
  const FunctionDef* function = nullptr;
  const CallFrame* caller = nullptr;
  SourceLocation call_location;
  // Nodes and branches are chosen as for training, whatever the mode: a constant of the mode in this call is fed.
  bool as_for_training = false;
  TextPool pool;
};

// The surroundings of an expression.
struct ExprContext {
  CallFrame& frame;
  const std::string& scope;             // nodes without a name of their own are named below it
  const NodeOptions& own;               // for the node with a name of its own; all nodes get its device
  const WantedValue* wanted = nullptr;  // the dtype and shape of random ops that do not give theirs
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_CALL_FRAME_H_
