#include "kernels/device/cuda/runtime/copy_blocks.h"

#include "kernels/device/cuda/runtime/block.h"
#include "src/base/integers.h"

namespace dfrun::cuda {
namespace {

constexpr int64_t kThreadBytes = 16;

struct alignas(kThreadBytes) Bytes {
  unsigned char at[kThreadBytes];
};

// The parts of a copy. All are skipped if *gate is 0; a null gate never skips them.
struct CopyList {
  static constexpr int kMax = 32;
  struct Part {
    const unsigned char* from;
    unsigned char* to;
    int64_t bytes;
    int64_t first;  // thread
  };
  Part parts[kMax];
  int count = 0;
  int64_t threads = 0;
  const int32_t* gate = nullptr;

  void Add(const BlockCopy& copy) {
    parts[count++] = {static_cast<const unsigned char*>(copy.from), static_cast<unsigned char*>(copy.to),
                      static_cast<int64_t>(copy.bytes), threads};
    threads += CeilDiv<int64_t>(static_cast<int64_t>(copy.bytes), kThreadBytes);
  }
  dim3 grid() const { return dim3(static_cast<unsigned>(CeilDiv<int64_t>(threads, kBlockThreads))); }
};

DF_DEVICE_FUNCTION void CopyByThread(const CopyList& list, int64_t thread) {
  if (thread >= list.threads || (list.gate != nullptr && *list.gate == 0)) return;
  int i = 0;
  while (i + 1 < list.count && list.parts[i + 1].first <= thread) ++i;
  const CopyList::Part& part = list.parts[i];
  const int64_t begin = (thread - part.first) * kThreadBytes;
  const bool is_aligned =
      (reinterpret_cast<uintptr_t>(part.from) | reinterpret_cast<uintptr_t>(part.to)) % kThreadBytes == 0;
  if (is_aligned && begin + kThreadBytes <= part.bytes) {
    *reinterpret_cast<Bytes*>(part.to + begin) = *reinterpret_cast<const Bytes*>(part.from + begin);
    return;
  }
  for (int64_t k = begin; k < part.bytes && k < begin + kThreadBytes; ++k) part.to[k] = part.from[k];
}

DF_DEVICE_KERNEL void CopyParts(CopyList list) {
  CopyByThread(list, GlobalThreadId());
}

// Copies with one block of threads, then counts for the host.
DF_DEVICE_KERNEL void CopyPartsAndTell(CopyList list, CounterWords words) {
  const int64_t thread = GlobalThreadId();
  CopyByThread(list, thread);
  Barrier();
  if (thread == 0) CountForHost(words.in_gpu, words.in_host);
}

DF_DEVICE_KERNEL void Tell(uint64_t* in_gpu, uint64_t* in_host) {
  if (GlobalThreadId() == 0) CountForHost(in_gpu, in_host);
}

const void* Entry() {
  return EntryOf<Threads::kIndependent>(&CopyParts);
}

cudaError_t Launch(CopyList& list, cudaStream_t stream) {
  if (list.count == 0) return cudaSuccess;
  void* args[] = {&list};
  return cudaLaunchKernel(Entry(), list.grid(), dim3(kBlockThreads), args, 0, stream);
}

}  // namespace

cudaError_t EnqueueBlockCopies(std::span<const BlockCopy> copies, cudaStream_t stream) {
  CopyList list;
  for (const BlockCopy& copy : copies) {
    if (static_cast<int64_t>(copy.bytes) > kMaxBytesInOrder) {
      const cudaError_t error = cudaMemcpyAsync(copy.to, copy.from, copy.bytes, cudaMemcpyDefault, stream);
      if (error != cudaSuccess) return error;
      continue;
    }
    if (list.count == CopyList::kMax) {
      if (const cudaError_t error = Launch(list, stream); error != cudaSuccess) return error;
      list = CopyList();
    }
    list.Add(copy);
  }
  return Launch(list, stream);
}

bool AreForOneBlock(std::span<const BlockCopy> copies) {
  if (copies.empty() || copies.size() > size_t{CopyList::kMax}) return false;
  int64_t threads = 0;
  for (const BlockCopy& copy : copies) threads += CeilDiv<int64_t>(static_cast<int64_t>(copy.bytes), kThreadBytes);
  return threads <= kBlockThreads;
}

cudaError_t EnqueueSignalingCopies(std::span<const BlockCopy> copies, const CounterWords& words, cudaStream_t stream) {
  CopyList list;
  for (const BlockCopy& copy : copies) list.Add(copy);
  CounterWords kept = words;
  void* args[] = {&list, &kept};
  return cudaLaunchKernel(EntryOf<Threads::kTogether>(&CopyPartsAndTell), dim3(1), dim3(kBlockThreads), args, 0,
                          stream);
}

const void* SignalEntry() {
  return EntryOf<Threads::kIndependent>(&Tell);
}

cudaError_t AddGatedCopy(cudaGraph_t graph, std::span<const cudaGraphNode_t> after, const BlockCopy& copy,
                         const int32_t* gate, cudaGraphNode_t* node) {
  CopyList list;
  list.Add(copy);
  list.gate = gate;
  void* args[] = {&list};
  cudaKernelNodeParams params{};
  params.func = const_cast<void*>(Entry());
  params.gridDim = list.grid();
  params.blockDim = dim3(kBlockThreads);
  params.kernelParams = args;
  return cudaGraphAddKernelNode(node, graph, after.data(), after.size(), &params);
}

}  // namespace dfrun::cuda
