// Calls of functions of the emulated card (block.h) as work.
#ifndef DFRUN_TESTS_GPU_EMULATED_CALL_H_
#define DFRUN_TESTS_GPU_EMULATED_CALL_H_

#include "tests/gpu/emulated_streams.h"

namespace dfrun::cuda::emulated {

// The call of a kernel with its arguments as they are now, but that what they say of the card's memory is its reach.
Work KeepCall(const void* kernel, int64_t blocks, void** args);
// A copy of bytes, and bytes that are set to one value.
Work KeepCopy(void* to, const void* from, size_t bytes);
Work KeepFill(void* to, int value, size_t bytes);

}  // namespace dfrun::cuda::emulated

#endif  // DFRUN_TESTS_GPU_EMULATED_CALL_H_
