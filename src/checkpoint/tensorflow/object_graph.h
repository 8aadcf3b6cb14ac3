// The graph of objects by which tf.train.Checkpoint finds variables.
#ifndef DFRUN_SRC_CHECKPOINT_TENSORFLOW_OBJECT_GRAPH_H_
#define DFRUN_SRC_CHECKPOINT_TENSORFLOW_OBJECT_GRAPH_H_

#include <string>
#include <vector>

namespace dfrun {

// The key of the graph among the names of variables.
inline constexpr const char* kObjectGraphKey = "_CHECKPOINTABLE_OBJECT_GRAPH";

// Returns the serialized graph of variables of these names. The root has each as a child of its full name; and "a/b" is
// the child `b` of the root's child `a` as well.
std::string ObjectGraphOf(const std::vector<std::string>& variables);

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_TENSORFLOW_OBJECT_GRAPH_H_
