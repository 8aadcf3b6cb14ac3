// oneDNN's primitives alone, as a limit for `dfrun bench kernels`. All but a primitive's execution is done beforehand,
// filters are in the order that the library prefers, and it runs on its own threads (OpenMP's).
#ifndef DFRUN_JOBS_BENCH_BENCH_KERNELS_ONEDNN_H_
#define DFRUN_JOBS_BENCH_BENCH_KERNELS_ONEDNN_H_

#include <functional>

#include "src/framework/device/device_limits.h"
#include "src/framework/values/tensor.h"

namespace dfrun::jobs {

// Runs the primitive once, on the threads that it was made for. The thread that made it must call it.
using BarePrimitive = std::function<void()>;

// Multiplies two [size, size] matrices. `dtype` is float32 or bfloat16. Unimplemented if oneDNN is not built in or
// lacks the primitive.
Result<BarePrimitive> BareMatMul(Device& device, int threads, DType dtype, int64_t size);
// Convolves float32 images. Errors as BareMatMul().
Result<BarePrimitive> BareConv(Device& device, int threads, ConvPass pass, const SquareConv& conv);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_BENCH_BENCH_KERNELS_ONEDNN_H_
