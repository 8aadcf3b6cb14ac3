// The language of GPU kernels, on the host. This header replaces the product's header of the same path, so that the
// same kernels run without a GPU. Blocks run one after the other, and so do the threads of a block; threads that meet
// at barriers take turns, in orders that a seed shuffles. Shared memory of a block holds NaN when the block begins.
#ifndef DFRUN_TESTS_GPU_EMULATION_KERNELS_DEVICE_CUDA_RUNTIME_BLOCK_H_
#define DFRUN_TESTS_GPU_EMULATION_KERNELS_DEVICE_CUDA_RUNTIME_BLOCK_H_

#include <cuda_runtime_api.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "src/base/mutex.h"
#include "src/base/threads.h"

#define DF_DEVICE_KERNEL
#define DF_DEVICE_FUNCTION inline
// One block runs at a time.
#define DF_DEVICE_SHARED(type, name, count) \
  static type name[count];                  \
  static int64_t name##_turn = 0;           \
  ::dfrun::cuda::emulated::BeginShared(name, sizeof(name), name##_turn)

namespace dfrun::cuda {

inline constexpr int kBlockThreads = 256;

namespace emulated {

// The position of the GPU thread that runs now.
struct Place {
  int64_t block = 0;
  int thread = 0;
  int64_t turn = 0;  // number of blocks of all kernels that have run
};
extern Place place;

// Held while work is enqueued or executed: one kernel runs at a time.
extern Mutex running;

// Returns the next random number of the sequence that the environment variable DFRUN_EMULATED_SEED chooses.
unsigned Random();

// Work that is not done though the running kernel, which depends on it, has begun (emulated_early.cc); null: none.
extern std::function<void()>* earlier_work;
void RunGridDependency();

// Fills a block's shared memory with NaN when its first thread comes to it, unless the block has waited since its
// beginning for earlier work that used the memory.
inline void BeginShared(void* memory, size_t bytes, int64_t& turn) {
  if (turn >= place.turn) return;
  turn = place.turn;
  std::memset(memory, 0xff, bytes);
}

// Calls `thread` once for each thread of a block. Threads that call Meet() go on when all have called it or ended.
void RunTogether(FunctionRef<void()> thread);
void Meet();

}  // namespace emulated

inline void GridDependencySync() {
  if (emulated::earlier_work != nullptr) emulated::RunGridDependency();
}

inline int ThreadInBlock() {
  return emulated::place.thread;
}
inline int64_t GlobalBlockId() {
  GridDependencySync();
  return emulated::place.block;
}
inline int64_t GlobalThreadId() {
  GridDependencySync();
  return emulated::place.block * kBlockThreads + emulated::place.thread;
}
inline void Barrier() {
  emulated::Meet();
}

inline void CountForHost(uint64_t* in_gpu, uint64_t* in_host) {
  std::atomic_ref(*in_host).store(++*in_gpu, std::memory_order_release);
}

inline constexpr int kWarpThreads = 32;

// Reduces in the order in which a GPU does.
template <class A, class Combine>
A BlockReduce(A value, Combine combine) {
  constexpr int kWarps = kBlockThreads / kWarpThreads;
  DF_DEVICE_SHARED(A, values, kBlockThreads);
  DF_DEVICE_SHARED(A, of_warps, kWarps);
  const int thread = ThreadInBlock();
  Barrier();  // barrier of the previous call: all threads have read its values
  values[thread] = value;
  Barrier();
  if (thread % kWarpThreads == 0) {
    for (int distance = kWarpThreads / 2; distance > 0; distance /= 2) {
      for (int i = thread; i < thread + distance; ++i) values[i] = combine(values[i], values[i + distance]);
    }
    of_warps[thread / kWarpThreads] = values[thread];
  }
  Barrier();
  A all = of_warps[0];
  for (int warp = 1; warp < kWarps; ++warp) all = combine(all, of_warps[warp]);
  return all;
}

enum class Threads { kIndependent, kTogether };

namespace emulated {

// Calls a kernel once for each thread of `blocks` blocks; `args` are the addresses of its arguments' values.
using RunBlocks = void (*)(const void* kernel, int64_t blocks, void** args);
// Tells the runtime what it needs to launch a kernel and to keep its arguments.
void Declare(const void* kernel, RunBlocks run, std::vector<size_t> arg_bytes);

// Counts the numbers from 0 to count - 1 up or down, beginning at a random one.
class RandomOrder {
 public:
  explicit RandomOrder(int64_t count)
      : count_(count), first_(Random() % static_cast<uint64_t>(count)), is_down_(Random() % 2 != 0) {}
  int64_t operator()(int64_t i) const {
    const int64_t at = first_ + i < count_ ? first_ + i : first_ + i - count_;
    return is_down_ ? count_ - 1 - at : at;
  }

 private:
  const int64_t count_;
  const int64_t first_;
  const bool is_down_;
};

template <Threads kThreads, class... Params, size_t... I>
void RunWith(void (*kernel)(Params...), int64_t blocks, void** args, std::index_sequence<I...>) {
  const RandomOrder order(blocks);
  const RandomOrder order_in_block(kBlockThreads);
  for (int64_t i = 0; i < blocks; ++i) {
    place.block = order(i);
    ++place.turn;
    if constexpr (kThreads == Threads::kTogether) {
      RunTogether([&] { kernel(*static_cast<Params*>(args[I])...); });
    } else {
      for (int thread = 0; thread < kBlockThreads; ++thread) {
        place.thread = static_cast<int>(order_in_block(thread));
        kernel(*static_cast<Params*>(args[I])...);
      }
    }
  }
}

}  // namespace emulated

template <Threads kThreads, class... Params>
const void* EntryOf(void (*kernel)(Params...)) {
  const auto* const entry = reinterpret_cast<const void*>(kernel);
  const emulated::RunBlocks run = [](const void* one, int64_t blocks, void** args) {
    emulated::RunWith<kThreads>(reinterpret_cast<void (*)(Params...)>(const_cast<void*>(one)), blocks, args,
                                std::index_sequence_for<Params...>());
  };
  emulated::Declare(entry, run, {sizeof(Params)...});
  return entry;
}

}  // namespace dfrun::cuda

#endif  // DFRUN_TESTS_GPU_EMULATION_KERNELS_DEVICE_CUDA_RUNTIME_BLOCK_H_
