// The form in TensorFlow's ops of an op that TensorFlow does not have.
#ifndef DFRUN_SRC_FRAMEWORK_OP_PORTABLE_FORM_H_
#define DFRUN_SRC_FRAMEWORK_OP_PORTABLE_FORM_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "src/framework/op/node_builder.h"

namespace dfrun {

// The node that takes the name of the one it stands for; nodes before it are added with the builder.
struct LoweredNode {
  std::string op;
  std::vector<Output> inputs;
};

using LoweringFn = std::function<LoweredNode(NodeBuilder&)>;

struct PortableForm {
  enum class Kind : uint8_t {
    kItself,        // TensorFlow has the op
    kNone,          // TensorFlow has neither the op nor a form of it
    kPlaceholders,  // each output is a Placeholder, to be fed
    kNodes,         // the nodes that `lower` adds
  };

  Kind kind = Kind::kItself;
  LoweringFn lower;  // for kNodes
};

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_OP_PORTABLE_FORM_H_
