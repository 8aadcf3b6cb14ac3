// The body of a GraphDef function, read once and instantiated at each call.
#ifndef DFRUN_SRC_PASSES_FUNCTIONS_BODY_H_
#define DFRUN_SRC_PASSES_FUNCTIONS_BODY_H_

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/framework/op/op.h"
#include "src/graph/graph.h"
#include "src/graph/proto/function.pb.h"

namespace dfrun {

// "node:output:index", "node:output" (a whole list), "argument" or "argument:index".
struct BodyInput {
  static constexpr int32_t kWhole = -1;
  bool is_argument = false;
  int32_t source = 0;          // a node of the body by its index in `nodes`, or an argument of the signature
  std::string output;          // for a node: the output's name in its op's signature
  int32_t index = kWhole;      // in that output or argument
  bool closes_a_loop = false;  // the node comes later: NextIteration into Merge
};

struct BodyNode {
  std::string name;
  std::string op;
  std::string device;
  AttrMap attrs;  // attrs that are equal in every call; Consts of all calls share their values
  std::string colocate_with;
  std::vector<std::pair<std::string, proto::AttrValue>> bound_attrs;  // attrs that refer to the function's own attrs
  std::vector<BodyInput> inputs;
  std::vector<int32_t> control_inputs;  // indices in `nodes`
  std::vector<int32_t> control_arguments;
  bool is_awaited = false;          // has readers by control edges
  bool is_below_primitive = false;  // is or depends on a primitive of control flow: it may not run, or in a loop
};

struct FunctionBody {
  OpDef signature;
  std::vector<BodyNode> nodes;  // each after those that it depends on, edges that close loops aside
  std::unordered_map<std::string, int32_t> index_of;  // by the node's name
  std::vector<BodyInput> returns;                     // by output of the signature
  std::vector<int32_t> control_returns;               // indices in `nodes`
};

// InvalidArgument names the node that cannot be read. Ops that `ops` does not have are taken for functions.
Result<FunctionBody> ReadFunctionBody(const proto::FunctionDef& function, const OpRegistry& ops);

// The argument that output `k` of the signature passes on unchanged, directly or through Identities; -1: none.
int PassthroughArgument(const FunctionBody& body, int k);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_FUNCTIONS_BODY_H_
