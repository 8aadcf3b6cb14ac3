// The measured limits of this machine for `dfrun bench kernels`: multiply-adds and bytes per second.
#ifndef DFRUN_JOBS_BENCH_BENCH_KERNELS_LIMITS_H_
#define DFRUN_JOBS_BENCH_BENCH_KERNELS_LIMITS_H_

#include <cstddef>

#include "src/framework/values/tensor.h"

namespace dfrun::jobs {

// Each function below runs on this many threads, the caller's included, and returns when all are done. With several
// threads they also bind the process's other threads to other cores.

// Runs multiply-adds on registers alone, with the widest float32 instruction of the machine. Returns the number of
// floating-point operations, two per multiply-add.
double RunFloatFma(int threads);
// Runs the fastest instruction that multiplies bfloat16 and adds to float32: on tiles if the machine has them,
// otherwise on pairs. Returns the number of operations; 0 if this build has neither.
double RunBfloat16Dot(int threads);

// Pass over float32 vectors of equal length. The written one bypasses the caches. The result of ReadAll() means nothing:
// it only keeps the loads. Elements behind a thread's last whole step are left out.
float ReadAll(int threads, const Tensor& x);
void CopyAll(int threads, const Tensor& x, Tensor& to);
void AddAll(int threads, const Tensor& x, const Tensor& y, Tensor& to);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_BENCH_BENCH_KERNELS_LIMITS_H_
