// A node as its kernel and the executor know it.
#ifndef DFRUN_SRC_FRAMEWORK_OP_NODE_INFO_H_
#define DFRUN_SRC_FRAMEWORK_OP_NODE_INFO_H_

#include <string>
#include <vector>

#include "src/framework/op/op.h"

namespace dfrun {

// The fixed facts about a node in a plan, which owns them.
struct NodeInfo {
  std::string name;
  const OpDef* op = nullptr;
  std::vector<TypedArg> inputs;
  std::vector<TypedArg> outputs;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_OP_NODE_INFO_H_
