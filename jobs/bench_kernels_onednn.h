// oneDNN alone, for `dfrun bench kernels`: everything but the primitive's execution is done beforehand, filters are in
// the order that the library likes best, and its threads are its own (OpenMP's).
#ifndef DFRUN_JOBS_BENCH_KERNELS_ONEDNN_H_
#define DFRUN_JOBS_BENCH_KERNELS_ONEDNN_H_

#include <functional>

#include "src/framework/device_limits.h"
#include "src/framework/tensor.h"

namespace dfrun::jobs {

// Runs the primitive once on the threads it was made for. The same thread calls it that made it.
using BarePrimitive = std::function<void()>;

// Unimplemented where oneDNN is not built in or lacks the primitive. dtype: float32 or bfloat16.
// [size, size] times [size, size].
Result<BarePrimitive> BareMatMul(Device& device, int threads, DType dtype, int64_t size);
// Of float32.
Result<BarePrimitive> BareConv(Device& device, int threads, ConvPass pass, const SquareConv& conv);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_BENCH_KERNELS_ONEDNN_H_
