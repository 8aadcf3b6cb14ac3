// Files by which TensorBoard's projector shows rows of variables.
#ifndef DFRUN_SRC_EVENTS_PROJECTOR_H_
#define DFRUN_SRC_EVENTS_PROJECTOR_H_

#include <string>
#include <vector>

#include "src/framework/values/tensor.h"

namespace dfrun {

struct ShownEmbedding {
  std::string name;
  Tensor rows;         // [rows, columns] of real numbers; the first rows of a variable
  std::string labels;  // file with a line a row; empty: none
};

// Rows that a projector is given at most.
inline constexpr int64_t kMaxProjectorRows = 10'000;

// Writes the rows as float32, the first lines of the labels and the projector's configuration below `run`, a directory
// of event files, each file atomically. NoInput where labels cannot be read or are fewer than the rows.
// Blocks: on the file system.
Status WriteProjector(const std::string& run, const std::vector<ShownEmbedding>& embeddings);

}  // namespace dfrun

#endif  // DFRUN_SRC_EVENTS_PROJECTOR_H_
