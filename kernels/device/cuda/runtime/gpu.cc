#include "kernels/device/cuda/runtime/gpu.h"

#include <iterator>
#include <map>

#include "kernels/device/cuda/runtime/cuda_status.h"

namespace dfrun::cuda {
namespace {

constexpr size_t kMiB = size_t{1} << 20;
// The first 40 GiB are taken from a GPU in 2 ms, but in pieces of 1 MiB it takes 0.8 ms each.
constexpr size_t kFirstChunk = 256 * kMiB;
constexpr size_t kLargestChunk = 8192 * kMiB;
// Pinned host memory takes 0.4 ms a MiB.
constexpr size_t kFirstPinnedChunk = 4 * kMiB;
constexpr size_t kLargestPinnedChunk = 256 * kMiB;

}  // namespace

Allocator& PinnedMemory() {
  static PoolAllocator& allocator = *new PoolAllocator(
      "pinned", MemoryKind::kPinned,
      [](size_t bytes) {
        void* memory = nullptr;
        return cudaHostAlloc(&memory, bytes, cudaHostAllocPortable | cudaHostAllocMapped) == cudaSuccess ? memory
                                                                                                         : nullptr;
      },
      kFirstPinnedChunk, kLargestPinnedChunk);
  return allocator;
}

Result<Gpu*> Gpu::Find(int index) {
  static Mutex& mu = *new Mutex();
  static std::map<int, Gpu*>& gpus = *new std::map<int, Gpu*>();
  MutexLock lock(mu);
  if (const auto found = gpus.find(index); found != gpus.end()) return found->second;
  DF_TRY(CudaStatus(TryMakeCurrent(index), StrCat("use GPU ", index)));
  auto* const gpu = new Gpu(index);
  DF_TRY(gpu->Init());
  gpus[index] = gpu;
  return gpu;
}

Gpu::Gpu(int index)
    : index_(index),
      memory_(
          "cuda", MemoryKind::kDevice,
          [this](size_t bytes) {
            MakeCurrent();
            void* memory = nullptr;
            if (cudaMalloc(&memory, bytes) == cudaSuccess) return memory;
            cudaGetLastError();  // not an error of enqueued work
            return static_cast<void*>(nullptr);
          },
          kFirstChunk, kLargestChunk),
      uploads_(index, memory_, stream_),
      completions_(index),
      error_flags_(PinnedMemory()) {
  memory_.SetGiveBack([this] { uploads_.GiveBackFree(); });
}

// Kernels wait for earlier ones themselves from compute capability 9.0 on.
Status Gpu::Init() {
  int major = 0;
  DF_TRY(CudaStatus(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, index_), "ask a GPU what it is"));
  has_early_launches_ = major >= 9;
  for (cudaStream_t* stream : {&stream_, &upload_stream_, &download_stream_}) {
    DF_TRY(CudaStatus(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking), "make a stream"));
  }
  DF_TRY(counter_.Init(stream_, PinnedMemory()));
  MutexLock lock(mu_);
  return CudaStatus(cudaEventCreateWithFlags(&order_event_, cudaEventDisableTiming), "make an event");
}

Status Gpu::Order(cudaStream_t earlier, cudaStream_t later) {
  MutexLock lock(mu_);  // a wait is for the event as it was last recorded
  DF_TRY(CudaStatus(cudaEventRecord(order_event_, earlier), "record an event"));
  return CudaStatus(cudaStreamWaitEvent(later, order_event_, 0), "wait for an event");
}

cudaError_t Gpu::Enqueue(FunctionRef<cudaError_t(cudaStream_t)> enqueue) {
  counter_.BeginWork();
  const cudaError_t error = enqueue(stream_);
  counter_.EndWork();
  return error;
}

cudaError_t Gpu::EnqueueSignal(FunctionRef<cudaError_t(cudaStream_t, const CounterWords&)> enqueue) {
  const uint64_t work = counter_.BeginSignal();
  const cudaError_t error = enqueue(stream_, counter_.words());
  counter_.EndSignal(work, error == cudaSuccess);
  return error;
}

Status Gpu::WhenDone(std::vector<Tensor> kept, CompletionQueue::Done done) {
  if (const uint64_t count = counter_.CountOfLast(); count != 0) {
    signaled_ends_.fetch_add(1, std::memory_order_relaxed);
    completions_.AddTold(counter_, count, stream_, std::move(kept), std::move(done));
    return Status();
  }
  asked_ends_.fetch_add(1, std::memory_order_relaxed);
  return completions_.Add(stream_, std::move(kept), std::move(done));
}

void Gpu::Keep(std::vector<Tensor> tensors) {
  MutexLock lock(mu_);
  std::move(tensors.begin(), tensors.end(), std::back_inserter(kept_));
}

std::vector<Tensor> Gpu::TakeKept() {
  MutexLock lock(mu_);
  return std::exchange(kept_, {});
}

void Gpu::Fail(Status status) {
  MutexLock lock(mu_);
  if (failure_.ok()) failure_ = std::move(status);
}

Status Gpu::TakeFailure() {
  const Status refused = error_flags_.Take();
  MutexLock lock(mu_);
  Status failure = std::exchange(failure_, Status());
  return failure.ok() ? refused : failure;
}

}  // namespace dfrun::cuda
