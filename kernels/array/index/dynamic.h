// Checks of the shapes that DynamicPartition and DynamicStitch take, on any device: rows are dealt out, or put
// together, by number.
#ifndef DFRUN_KERNELS_ARRAY_INDEX_DYNAMIC_H_
#define DFRUN_KERNELS_ARRAY_INDEX_DYNAMIC_H_

#include "src/framework/kernel/kernel.h"

namespace dfrun {

// `first` and the dimensions of `shape` after the first `skip`.
Shape RowsOf(int64_t first, const Shape& shape, int skip);
// The elements of one of rows.
int64_t RowElements(const Shape& rows);

// Checks that part i of n, inputs i and n + i, has a row for each index, and rows like those of part 0.
Status CheckStitchedPart(const OpContext& ctx, int i, int n);
// Checks that input 0 has a row for each of the partitions, input 1.
Status CheckPartitions(const OpContext& ctx);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_INDEX_DYNAMIC_H_
