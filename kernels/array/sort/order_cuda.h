// Order among many elements, on GPUs: sorted positions, sums of counts, the numbers of those that are chosen. All are
// the same on every GPU and in every run.
#ifndef DFRUN_KERNELS_ARRAY_SORT_ORDER_CUDA_H_
#define DFRUN_KERNELS_ARRAY_SORT_ORDER_CUDA_H_

#include <cstdint>

#include "kernels/device/cuda/runtime/cuda_kernel.h"

namespace dfrun::cuda {

// The positions in each of `rows` rows of n keys in the keys' order; equal keys keep their order: int32 [rows, n]. Keys
// are equal above their low `bits` bits (programmer's duty). Key: uint32_t or uint64_t. Unimplemented for rows whose
// length is beyond int32.
template <class Key>
Result<Tensor> FindOrder(OpContext& ctx, const Key* keys, int64_t rows, int64_t n, int bits);

// Sorts keys in a tensor of uint32 or uint64.
Result<Tensor> FindOrder(OpContext& ctx, const Tensor& keys, int64_t rows, int64_t n);

// The keys of numbers (radix_order.h): uint32 or uint64.
Result<Tensor> OrderKeys(OpContext& ctx, const Tensor& numbers, bool descending);

// Replaces each of n counts by the sum of those before it; counts[n] gets the sum of all.
Status SumCounts(OpContext& ctx, int64_t* counts, int64_t n);

// The numbers of the flags that are set, in order: int64 [how many]. Waits for the GPU, which alone knows how many.
Result<Tensor> FindSet(OpContext& ctx, const bool* flags, int64_t n);

// Elements [begin, begin + n) of a GPU's tensor in host memory. Waits for the GPU.
Result<Tensor> OnHost(OpContext& ctx, const Tensor& tensor, int64_t begin, int64_t n);

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_ARRAY_SORT_ORDER_CUDA_H_
