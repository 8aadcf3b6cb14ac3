// Finds variables that a checkpoint cannot hold, before anything is written.
#ifndef DFRUN_SRC_CHECKPOINT_SAVABLE_H_
#define DFRUN_SRC_CHECKPOINT_SAVABLE_H_

#include <optional>
#include <string>
#include <vector>

#include "src/checkpoint/shard.h"

namespace dfrun {

// The bytes of the longest name: HDF5 counts those of a link, and of a message with a name in it, in 16 bits.
inline constexpr size_t kLongestVariableName = 65000;

// The variable that cannot be saved with the others, and why: "variable 'a//b' is ...".
struct Unsavable {
  size_t at = 0;
  std::string why;
};
// The first of variables that one checkpoint shall hold; nothing where it can.
std::optional<Unsavable> FindUnsavable(const std::vector<SavedVariable>& variables);

// Returns InvalidArgument for a name that the ops which save tensors do not take: one that is no path of HDF5 (an empty
// part, "." or ".." alone, a NUL), or that of a part of a tensor.
Status CheckTensorName(const std::string& name);

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_SAVABLE_H_
