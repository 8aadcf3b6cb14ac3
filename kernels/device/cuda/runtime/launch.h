// Launch(): enqueues functions of the GPU (block.h) from a kernel.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_LAUNCH_H_
#define DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_LAUNCH_H_

#include "kernels/device/cuda/runtime/block.h"
#include "kernels/device/cuda/runtime/cuda_kernel.h"

namespace dfrun::cuda {

// Blocks of threads for `count` threads.
constexpr int64_t BlocksFor(int64_t count) {
  return (count + kBlockThreads - 1) / kBlockThreads;
}

// Enqueues a function of the GPU, or has it recorded; none where there are no blocks.
template <Threads kThreads, class... Params, class... Args>
Status LaunchBlocks(OpContext& ctx, int64_t blocks, void (*kernel)(Params...), const Args&... args) {
  if (blocks == 0) return Status();
  const auto launch = [&](Params... values) {
    const FunctionArg list[] = {{&values, sizeof(values)}..., {nullptr, 0}};
    return EnqueueFunction(ctx, EntryOf<kThreads>(kernel), {blocks, kBlockThreads}, {list, sizeof...(Params)});
  };
  return launch(static_cast<Params>(args)...);
}

// One that has no barriers, with `count` threads or some more.
template <class... Params, class... Args>
Status Launch(OpContext& ctx, int64_t count, void (*kernel)(Params...), const Args&... args) {
  return LaunchBlocks<Threads::kIndependent>(ctx, BlocksFor(count), kernel, args...);
}

// One that has, of so many blocks.
template <class... Params, class... Args>
Status LaunchWithBarriers(OpContext& ctx, int64_t blocks, void (*kernel)(Params...), const Args&... args) {
  return LaunchBlocks<Threads::kTogether>(ctx, blocks, kernel, args...);
}

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_LAUNCH_H_
