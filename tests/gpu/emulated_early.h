// Kernels of the emulated card that begin before those that they wait for are done.
#ifndef DFRUN_TESTS_GPU_EMULATED_EARLY_H_
#define DFRUN_TESTS_GPU_EMULATED_EARLY_H_

#include "tests/gpu/emulated_streams.h"

namespace dfrun::cuda::emulated {

// Has a kernel begin before `earlier` is done, which is done when it first waits for earlier work. The caller holds
// `running`.
void BeginEarly(const Work& kernel, const Work& earlier);
// Whether the driver takes graphs with such edges.
bool TakesEarlyEdges();

}  // namespace dfrun::cuda::emulated

#endif  // DFRUN_TESTS_GPU_EMULATED_EARLY_H_
