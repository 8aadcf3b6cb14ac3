#include "kernels/device/cuda/runtime/cuda_device.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/device/cuda/runtime/copy_blocks.h"
#include "kernels/device/cuda/runtime/cuda_status.h"

namespace dfrun::cuda {

namespace {

// Large enough that a copy's own cost, 1 to 3 us, is little beside its time, 80 us over PCIe.
constexpr size_t kPieceBytes = size_t{4} << 20;

Status EnqueueBytes(const void* from, void* to, size_t bytes, cudaStream_t stream) {
  if (bytes == 0) return Status();
  return CudaStatus(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), StrCat("copy ", bytes, " bytes"));
}

// True if a function of the GPU copies the value, which tells the host when it is done.
bool IsTold(const Tensor& from, const Tensor& to) {
  const BlockCopy copy = {from.raw(), nullptr, from.num_bytes()};
  return !IsHostMemory(from.memory()) && to.memory() == MemoryKind::kPinned && AreForOneBlock({&copy, 1});
}

}  // namespace

Status CudaDevice::Named(const Status& status) const {
  return status.ok() ? status : status.Annotate(full_name());
}

// The stream of a copy. A copy between host and GPU need not wait for kernels that are enqueued later, nor they for it:
// readers of the copy are enqueued when it is there, and the GPU's block is not freed before. That needs a block that
// can be kept. A few bytes for the host arrive sooner if a function of the GPU copies them in order.
cudaStream_t CudaDevice::StreamOf(const Tensor& from, const Tensor& to) const {
  if (IsHostMemory(from.memory()) && !to.borrowed()) return gpu_.upload_stream();
  if (IsHostMemory(to.memory()) && !from.borrowed() && !IsTold(from, to)) return gpu_.download_stream();
  return gpu_.stream();
}

CompletionQueue::Done CudaDevice::Then(Callback done) {
  return [this, done](const Status& status) { done(Named(status)); };
}

// Copies on the GPU's own stream. The tensors need not be kept, since the stream's order protects their memory.
Status CudaDevice::CopyInOrder(const Tensor& from, Tensor& to, Callback done) {
  const BlockCopy copy = {from.raw(), to.raw(), from.num_bytes()};
  const cudaError_t copied = IsTold(from, to)
                                 ? gpu_.EnqueueSignal([&](cudaStream_t stream, const CounterWords& words) {
                                     return EnqueueSignalingCopies({&copy, 1}, words, stream);
                                   })
                                 : gpu_.Enqueue([&](cudaStream_t stream) {
                                     return cudaMemcpyAsync(copy.to, copy.from, copy.bytes, cudaMemcpyDefault, stream);
                                   });
  DF_TRY(CudaStatus(copied, StrCat("copy ", copy.bytes, " bytes")));
  return gpu_.WhenDone({}, Then(done));
}

Status CudaDevice::CopyBeside(const Tensor& from, Tensor& to, cudaStream_t stream, Callback done) {
  DF_TRY(WaitForUse(to, stream));
  if (from.memory() == MemoryKind::kHost) return CopyInPieces(from, to, stream, done);
  DF_TRY(EnqueueBytes(from.raw(), to.raw(), from.num_bytes(), stream));
  return gpu_.completions().Add(stream, {from, to}, Then(done));
}

// Copies from memory that is not pinned. The runtime's call would copy it itself and wait, so the value is copied to
// pinned memory here, a piece at a time, and the GPU fetches a piece while the next is on its way there.
Status CudaDevice::CopyInPieces(const Tensor& from, Tensor& to, cudaStream_t stream, Callback done) {
  DF_ASSIGN(Tensor pinned, Tensor::Allocate(PinnedMemory(), from.dtype(), from.shape()));
  const auto* const source = static_cast<const char*>(from.raw());
  auto* const between = static_cast<char*>(pinned.raw());
  auto* const target = static_cast<char*>(to.raw());
  for (size_t at = 0; at < from.num_bytes(); at += kPieceBytes) {
    const size_t bytes = std::min(kPieceBytes, from.num_bytes() - at);
    std::memcpy(between + at, source + at, bytes);
    DF_TRY(EnqueueBytes(between + at, target + at, bytes, stream));
  }
  return gpu_.completions().Add(stream, {std::move(pinned), to}, Then(done));
}

// Makes a stream that copies to the tensor wait for earlier work that may use its memory.
Status CudaDevice::WaitForUse(const Tensor& to, cudaStream_t stream) {
  const cudaEvent_t last_use = IsHostMemory(to.memory()) ? nullptr : gpu_.uploads().LastUse(to.raw());
  if (last_use == nullptr) return gpu_.Order(gpu_.stream(), stream);
  return CudaStatus(cudaStreamWaitEvent(stream, last_use, 0), "wait for an event");
}

Status CudaDevice::StartCopy(const Tensor& from, Tensor& to, Callback done) {
  gpu_.MakeCurrent();
  const cudaStream_t stream = StreamOf(from, to);
  return stream == gpu_.stream() ? CopyInOrder(from, to, done) : CopyBeside(from, to, stream, done);
}

void CudaDevice::EnqueueCopy(const Tensor& from, Tensor& to, Callback done) {
  if (recorder_ != nullptr) {
    if (IsHostMemory(from.memory()) || IsHostMemory(to.memory())) {
      return done(recorder_->Refuse("it copies between the memory of the host and the GPU's"));
    }
    if (from.num_bytes() > 0) recorder_->AddCopy(from.raw(), to.raw(), from.num_bytes());
    return done(Status());
  }
  if (Status status = StartCopy(from, to, done); !status.ok()) done(Named(status));
}

void CudaDevice::WhenDone(Callback done) {
  if (recorder_ != nullptr) return done(recorder_->Refuse("it waits for the GPU"));
  gpu_.MakeCurrent();
  const auto end = [this, done](const Status& status) {
    const Status failure = gpu_.TakeFailure();
    done(Named(failure.ok() ? status : failure));
  };
  if (Status status = gpu_.WhenDone(gpu_.TakeKept(), end); !status.ok()) done(Named(status));
}

Status CudaDevice::EnqueueCopies(std::span<const BlockCopy> copies, std::vector<Tensor> kept, bool is_last) {
  gpu_.MakeCurrent();
  gpu_.Keep(std::move(kept));
  const cudaError_t enqueued =
      is_last && AreForOneBlock(copies)
          ? gpu_.EnqueueSignal([&](cudaStream_t stream, const CounterWords& words) {
              return EnqueueSignalingCopies(copies, words, stream);
            })
          : gpu_.Enqueue([&](cudaStream_t stream) { return EnqueueBlockCopies(copies, stream); });
  return Named(CudaStatus(enqueued, "enqueue copies"));
}

}  // namespace dfrun::cuda
