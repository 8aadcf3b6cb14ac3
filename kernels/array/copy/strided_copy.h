// The engine of data movement: a block of elements copied between two strided layouts.
//
// Transpose, Slice, StridedSlice, Pad, Concat, Split, Pack, Tile and BroadcastTo are each one or a few such copies.
#ifndef DFRUN_KERNELS_ARRAY_COPY_STRIDED_COPY_H_
#define DFRUN_KERNELS_ARRAY_COPY_STRIDED_COPY_H_

#include <cstdint>
#include <vector>

#include "src/base/threads.h"
#include "src/framework/values/dtype.h"
#include "src/framework/values/shape.h"

namespace dfrun {

// Elements that a thread copies at a time: some 10 us.
constexpr int64_t kCopyBlock = 65536;

// A dimension of the block. Strides are in elements and may be negative; a from_stride of 0 repeats.
struct CopyDim {
  int64_t size;
  int64_t from_stride;
  int64_t to_stride;
};

// Copies from[sum of i_d * from_stride_d] to to[sum of i_d * to_stride_d] for every index i of the block. Outermost
// dimension first. No element is written twice and the two layouts do not overlap (programmer's duty).
// Splits over the pool. Any dtype.
void StridedCopy(ThreadPool& pool, DType dtype, const void* from, void* to, std::vector<CopyDim> dims);

// Row-major strides of a shape, in elements.
std::vector<int64_t> RowMajorStrides(const Shape& shape);

// The copy that permutes a row-major tensor: dimension d of the target is dimension perm[d], of size sizes[perm[d]], of
// the source. `perm` is a permutation (programmer's duty).
std::vector<CopyDim> PermutedDims(const std::vector<int64_t>& sizes, const std::vector<int>& perm);

// Drops dimensions of size 1 and merges neighbours that both layouts walk as one. For StridedCopy and its test.
std::vector<CopyDim> MergeCopyDims(const std::vector<CopyDim>& dims);

// `elements` further on, in a buffer of `dtype`.
const void* ElementAt(const void* data, DType dtype, int64_t elements);
void* ElementAt(void* data, DType dtype, int64_t elements);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_COPY_STRIDED_COPY_H_
