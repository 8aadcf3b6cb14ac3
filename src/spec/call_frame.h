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

// What a name stands for: the outputs of a node, or what a function returned.
struct Value {
  std::vector<Output> outputs;
  bool failed = false;  // an error was reported; what reads it fails without another
};

// What nodes get beside op, inputs and attrs.
struct NodeOptions {
  std::string device;
  std::string colocate_with;
  std::vector<NodeId> controls;
};

struct CallFrame {
  std::string scope;     // of its entries' names: "h1" makes h1/W; empty: the graph itself
  const Params* params;  // not null
  std::unordered_map<std::string_view, Value> values;
  std::unordered_set<std::string_view> entries;  // names that only entries may have, below the scope
  FamilyMap families;
  NodeOptions options;                // for every node of it
  const CallFrame* around = nullptr;  // of a loop: its names are seen too
  // Of a call of a function; null and nowhere for the graph.
  const FunctionDef* function = nullptr;
  const CallFrame* caller = nullptr;
  SourcePlace call_place;
  TextPool pool;
};

// Where an expression stands.
struct ExprContext {
  CallFrame& frame;
  const std::string& scope;             // nodes without a name of their own get one below it
  const NodeOptions& own;               // of the node with a name of its own; its device is for all
  const WantedValue* wanted = nullptr;  // what random ops make if they do not say it
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_CALL_FRAME_H_
