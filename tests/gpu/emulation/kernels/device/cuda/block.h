// What kernels of a card are written with, on the host: it stands for the header of this path in the product's tree, so
// that the same kernels run where there is no card. The threads of a block run one after the other, those that meet at
// barriers in turns, in an order that a seed shuffles.
#ifndef DFRUN_TESTS_GPU_EMULATION_KERNELS_DEVICE_CUDA_BLOCK_H_
#define DFRUN_TESTS_GPU_EMULATION_KERNELS_DEVICE_CUDA_BLOCK_H_

#include <cuda_runtime_api.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "src/base/mutex.h"
#include "src/base/threads.h"

#define DF_CARD_KERNEL
#define DF_CARD_FUNCTION inline
// One block runs at a time.
#define DF_CARD_SHARED(type, name, count) static type name[count]

namespace dfrun::cuda {

inline constexpr int kBlockThreads = 256;

namespace emulated {

// Of the thread of the card that runs now.
struct Place {
  int64_t block;
  int thread;
};
extern Place place;

// One kernel runs at a time, and all that is enqueued runs at once.
extern Mutex running;

// Null, or work before the kernel that runs now, which has begun before that is done (emulated_early.cc).
extern std::function<void()>* earlier_work;
void DoEarlierWork();

// Calls `thread` once for each thread of a block; those that come to Meet() go on when all have come or ended.
void RunTogether(FunctionRef<void()> thread);
void Meet();

}  // namespace emulated

inline void AfterEarlierWork() {
  if (emulated::earlier_work != nullptr) emulated::DoEarlierWork();
}

inline int ThreadInBlock() {
  return emulated::place.thread;
}
inline int64_t BlockInGrid() {
  AfterEarlierWork();
  return emulated::place.block;
}
inline int64_t ThreadInGrid() {
  AfterEarlierWork();
  return emulated::place.block * kBlockThreads + emulated::place.thread;
}
inline void Barrier() {
  emulated::Meet();
}

inline void CountForHost(uint64_t* in_card, uint64_t* in_host) {
  std::atomic_ref(*in_host).store(++*in_card, std::memory_order_release);
}

// By a tree over the block.
template <class A, class Combine>
A BlockReduce(A value, Combine combine) {
  static A values[kBlockThreads];
  const int thread = ThreadInBlock();
  Barrier();  // of the call before, whose result all have read
  values[thread] = value;
  Barrier();
  for (int half = kBlockThreads / 2; half > 0; half /= 2) {
    if (thread < half) values[thread] = combine(values[thread], values[thread + half]);
    Barrier();
  }
  return values[0];
}

enum class Threads { kIndependent, kTogether };

namespace emulated {

// Calls a kernel once for each thread of so many blocks; `args` are the addresses of its arguments' values.
using RunBlocks = void (*)(const void* kernel, int64_t blocks, void** args);
// What the runtime must know of a kernel to launch it, and to keep its arguments.
void Declare(const void* kernel, RunBlocks run, std::vector<size_t> arg_bytes);

template <Threads kThreads, class... Params, size_t... I>
void RunWith(void (*kernel)(Params...), int64_t blocks, void** args, std::index_sequence<I...>) {
  for (int64_t block = 0; block < blocks; ++block) {
    place = {block, 0};
    if constexpr (kThreads == Threads::kTogether) {
      RunTogether([&] { kernel(*static_cast<Params*>(args[I])...); });
    } else {
      for (int thread = kBlockThreads; thread-- > 0;) {
        place.thread = thread;
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

#endif  // DFRUN_TESTS_GPU_EMULATION_KERNELS_DEVICE_CUDA_BLOCK_H_
