// How an op that TensorFlow does not have is written in TensorFlow's ops.
#ifndef DFRUN_SRC_FRAMEWORK_PORTABLE_FORM_H_
#define DFRUN_SRC_FRAMEWORK_PORTABLE_FORM_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "src/framework/node_builder.h"

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
    kNone,          // it has none, nor a form in its ops
    kPlaceholders,  // each output is a Placeholder, to be fed
    kNodes,         // what `lower` adds
  };

  Kind kind = Kind::kItself;
  LoweringFn lower;  // of kNodes
};

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_PORTABLE_FORM_H_
