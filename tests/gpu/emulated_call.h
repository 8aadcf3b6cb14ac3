// Calls of the functions of the emulated GPU (block.h) as work to enqueue.
#ifndef DFRUN_TESTS_GPU_EMULATED_CALL_H_
#define DFRUN_TESTS_GPU_EMULATED_CALL_H_

#include "tests/gpu/emulated_streams.h"

namespace dfrun::cuda::emulated {

// Returns the call of a kernel with its arguments as they are now. Addresses of GPU memory in the arguments are
// replaced by those of its reach.
Work KeepCall(const void* kernel, int64_t blocks, void** args);
// KeepCopy() copies bytes; KeepFill() sets bytes to one value.
Work KeepCopy(void* to, const void* from, size_t bytes);
Work KeepFill(void* to, int value, size_t bytes);

}  // namespace dfrun::cuda::emulated

#endif  // DFRUN_TESTS_GPU_EMULATED_CALL_H_
