// Tells whether a fetch of a batch has one row a sample, by its shapes at two sizes of the batch.
#ifndef DFRUN_SRC_TRAINING_FETCH_ROWS_H_
#define DFRUN_SRC_TRAINING_FETCH_ROWS_H_

#include <cstdint>
#include <optional>

#include "src/framework/values/shape.h"

namespace dfrun {

enum class FetchRows : uint8_t {
  kUnknown,  // the graph does not say: the shape of a value decides
  kSamples,  // row i is that of sample i
  kOther,    // a scalar, a table, a matrix between samples: a value of the batch as a whole
};

// A shape that an output has where the batch has so many samples.
struct ShapeAtBatch {
  PartialShape shape;
  int64_t samples = 0;
};

// `at` and `other` are of one output and differ in their samples. Rows are the samples' where the first dimension is
// the batch's size in both and nothing else depends on that. Without `other`, where the graph allows no other size, the
// first dimension decides if the output `reads_samples`.
FetchRows RowsByShapes(const ShapeAtBatch& at, const std::optional<ShapeAtBatch>& other, bool reads_samples);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_FETCH_ROWS_H_
