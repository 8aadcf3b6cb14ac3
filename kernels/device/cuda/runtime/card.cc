#include "kernels/device/cuda/runtime/card.h"

#include <iterator>
#include <map>

#include "kernels/device/cuda/runtime/cuda_status.h"

namespace dfrun::cuda {
namespace {

constexpr size_t kMiB = size_t{1} << 20;
// The first 40 GiB are taken from a card in 2 ms, but in pieces of 1 MiB it takes 0.8 ms each.
constexpr size_t kFirstChunk = 256 * kMiB;
constexpr size_t kLargestChunk = 8192 * kMiB;
// Pinned host memory takes 0.4 ms a MiB.
constexpr size_t kFirstPinnedChunk = 4 * kMiB;
constexpr size_t kLargestPinnedChunk = 256 * kMiB;

// Makes a card that of this thread's calls of the runtime, where it is not.
cudaError_t UseCard(int index) {
  thread_local int current = -1;
  if (current == index) return cudaSuccess;
  const cudaError_t error = cudaSetDevice(index);
  if (error == cudaSuccess) current = index;
  return error;
}

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

Result<Card*> Card::Find(int index) {
  static Mutex& mu = *new Mutex();
  static std::map<int, Card*>& cards = *new std::map<int, Card*>();
  MutexLock lock(mu);
  if (const auto found = cards.find(index); found != cards.end()) return found->second;
  DF_TRY(CudaStatus(UseCard(index), StrCat("use card ", index)));
  auto* const card = new Card(index);
  DF_TRY(card->Init());
  cards[index] = card;
  return card;
}

Card::Card(int index)
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
      uploads_(*this),
      completions_(index),
      refusals_(PinnedMemory()) {
  memory_.SetGiveBack([this] { uploads_.GiveBackFree(); });
}

// Kernels wait for earlier ones themselves from compute capability 9.0 on.
Status Card::Init() {
  int major = 0;
  DF_TRY(
      CudaStatus(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, index_), "ask a card what it is"));
  has_early_launches_ = major >= 9;
  for (cudaStream_t* stream : {&stream_, &upload_stream_, &download_stream_}) {
    DF_TRY(CudaStatus(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking), "make a stream"));
  }
  DF_TRY(tally_.Init(stream_, PinnedMemory()));
  MutexLock lock(mu_);
  return CudaStatus(cudaEventCreateWithFlags(&order_event_, cudaEventDisableTiming), "make an event");
}

void Card::MakeCurrent() const {
  UseCard(index_);  // cannot fail: it succeeded when the GPU was found
}

Status Card::Order(cudaStream_t earlier, cudaStream_t later) {
  MutexLock lock(mu_);  // a wait is for the event as it was last recorded
  DF_TRY(CudaStatus(cudaEventRecord(order_event_, earlier), "record an event"));
  return CudaStatus(cudaStreamWaitEvent(later, order_event_, 0), "wait for an event");
}

cudaError_t Card::Enqueue(FunctionRef<cudaError_t(cudaStream_t)> enqueue) {
  tally_.BeginWork();
  const cudaError_t error = enqueue(stream_);
  tally_.EndWork();
  return error;
}

cudaError_t Card::EnqueueTelling(FunctionRef<cudaError_t(cudaStream_t, const TallyWords&)> enqueue) {
  const uint64_t work = tally_.BeginTelling();
  const cudaError_t error = enqueue(stream_, tally_.words());
  tally_.EndTelling(work, error == cudaSuccess);
  return error;
}

Status Card::WhenDone(std::vector<Tensor> kept, CompletionQueue::Done done) {
  if (const uint64_t count = tally_.CountOfLast(); count != 0) {
    told_ends_.fetch_add(1, std::memory_order_relaxed);
    completions_.AddTold(tally_, count, stream_, std::move(kept), std::move(done));
    return Status();
  }
  asked_ends_.fetch_add(1, std::memory_order_relaxed);
  return completions_.Add(stream_, std::move(kept), std::move(done));
}

void Card::Keep(std::vector<Tensor> tensors) {
  MutexLock lock(mu_);
  std::move(tensors.begin(), tensors.end(), std::back_inserter(kept_));
}

std::vector<Tensor> Card::TakeKept() {
  MutexLock lock(mu_);
  return std::exchange(kept_, {});
}

void Card::Fail(Status status) {
  MutexLock lock(mu_);
  if (failure_.ok()) failure_ = std::move(status);
}

Status Card::TakeFailure() {
  const Status refused = refusals_.Take();
  MutexLock lock(mu_);
  Status failure = std::exchange(failure_, Status());
  return failure.ok() ? refused : failure;
}

}  // namespace dfrun::cuda
