// Shapes of a queue's components, for the shape functions of ops that read queues.
#ifndef DFRUN_SRC_FRAMEWORK_OP_COMPONENT_INFERENCE_H_
#define DFRUN_SRC_FRAMEWORK_OP_COMPONENT_INFERENCE_H_

#include <vector>

#include "src/framework/op/inference.h"

namespace dfrun {

// An InferenceContext that sees the nodes which make handles is one of these too; others need not be.
// Thread safety: one thread.
class ComponentInference {
 public:
  // The shapes of an element's components, of the queue behind input i; empty where they are not known.
  virtual std::vector<PartialShape> component_shapes(int i) const = 0;

 protected:
  ~ComponentInference() = default;
};

// Returns the component shapes of input i; empty where the context is no ComponentInference.
inline std::vector<PartialShape> ComponentShapes(const InferenceContext& c, int i) {
  const auto* components = dynamic_cast<const ComponentInference*>(&c);
  return components == nullptr ? std::vector<PartialShape>() : components->component_shapes(i);
}

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_OP_COMPONENT_INFERENCE_H_
