// What this machine can do, measured: multiply-adds and bytes a second, for `dfrun bench kernels`.
#ifndef DFRUN_JOBS_BENCH_KERNELS_LIMITS_H_
#define DFRUN_JOBS_BENCH_KERNELS_LIMITS_H_

#include <cstddef>

#include "src/framework/tensor.h"

namespace dfrun::jobs {

// Each call below runs on this many threads, the caller's included, and returns when all are done.

// Multiply-adds on registers alone, with the widest float32 instruction there is; returns the floating-point operations
// done, two for each.
double RunFloatFma(int threads);
// The same with the fastest instruction that multiplies bfloat16 and adds to float32: on tiles where the machine has
// them, else on pairs; 0 where this build has neither.
double RunBfloat16Dot(int threads);

// Passes over float32 vectors of as many elements, written past the caches.
float ReadAll(int threads, const Tensor& x);
void CopyAll(int threads, const Tensor& x, Tensor& to);
void AddAll(int threads, const Tensor& x, const Tensor& y, Tensor& to);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_BENCH_KERNELS_LIMITS_H_
