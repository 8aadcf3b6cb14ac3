// /device:gpu:N: an NVIDIA GPU. Work on it is enqueued on its stream; copies that may overlap with it go on streams of
// their own. The recorded part of a step is launched on that stream as a whole.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_CUDA_DEVICE_H_
#define DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_CUDA_DEVICE_H_

#include <memory>
#include <vector>

#include "kernels/device/cuda/runtime/card.h"
#include "src/framework/device/device.h"
#include "src/framework/device/step_recorder.h"

namespace dfrun::cuda {

class GraphRecorder;

class CudaDevice final : public Device, public DeviceRecording {
 public:
  // `host`: memory that the card copies from and to.
  CudaDevice(const DeviceName& name, Card& card, Allocator& host) : Device(name, card.memory(), host), card_(card) {}
  // Stands for `of` during a recording: its memory is the recorder's arena, and its work goes to the recorder.
  CudaDevice(CudaDevice& of, Allocator& memory, GraphRecorder& recorder)
      : Device(of.name(), memory, of.host_allocator(), &of.containers()), card_(of.card_), recorder_(&recorder) {}

  // Drops the containers while the device is whole, since their values may have copies under way.
  ~CudaDevice() override {
    if (recorder_ == nullptr) containers().Reset("");
  }

  Card& card() { return card_; }
  // Null where work is enqueued on the card's stream.
  GraphRecorder* recorder() { return recorder_; }
  void WhenDone(Callback done) override;

  std::unique_ptr<StepRecorder> NewRecorder() override;
  Allocator& staging() override { return PinnedMemory(); }
  Allocator& uploads() override { return card_.uploads(); }
  Status EnqueueCopies(std::span<const BlockCopy> copies, std::vector<Tensor> kept, bool is_last) override;
  RecordingCounters counters() const override { return card_.counters(); }

 protected:
  void EnqueueCopy(const Tensor& from, Tensor& to, Callback done) override;

 private:
  // The stream on which a copy is enqueued. A copy beside the GPU's own stream keeps its tensors until it is done.
  cudaStream_t StreamOf(const Tensor& from, const Tensor& to) const;
  Status StartCopy(const Tensor& from, Tensor& to, Callback done);
  Status CopyInOrder(const Tensor& from, Tensor& to, Callback done);
  Status CopyBeside(const Tensor& from, Tensor& to, cudaStream_t stream, Callback done);
  Status CopyInPieces(const Tensor& from, Tensor& to, cudaStream_t stream, Callback done);
  Status WaitForUse(const Tensor& to, cudaStream_t stream);
  CompletionQueue::Done Then(Callback done);
  Status Named(const Status& status) const;

  Card& card_;
  GraphRecorder* const recorder_ = nullptr;
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_CUDA_DEVICE_H_
