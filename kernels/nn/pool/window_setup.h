// The windows of a kernel, read when it is made.
#ifndef DFRUN_KERNELS_NN_POOL_WINDOW_SETUP_H_
#define DFRUN_KERNELS_NN_POOL_WINDOW_SETUP_H_

#include <utility>

#include "kernels/nn/pool/window.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun {

// The node's attrs that were read; where reading failed, so does the kernel.
inline WindowAttrs TakeWindows(KernelSetup& setup, Result<WindowAttrs> read) {
  if (read.ok()) return *std::move(read);
  setup.Fail(read.status());
  return WindowAttrs();
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_POOL_WINDOW_SETUP_H_
