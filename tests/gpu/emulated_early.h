// Kernels of the emulated GPU that begin before the earlier work that they depend on is done.
#ifndef DFRUN_TESTS_GPU_EMULATED_EARLY_H_
#define DFRUN_TESTS_GPU_EMULATED_EARLY_H_

#include "tests/gpu/emulated_streams.h"

namespace dfrun::cuda::emulated {

// Starts a kernel before `earlier` is done. `earlier` is done when the kernel first waits for earlier work. The caller
// holds `running`.
void BeginEarly(const Work& kernel, const Work& earlier);
// Returns whether the driver accepts graphs with such edges.
bool TakesEarlyEdges();

}  // namespace dfrun::cuda::emulated

#endif  // DFRUN_TESTS_GPU_EMULATED_EARLY_H_
