// /device:gpu:N: an NVIDIA GPU. Work on it is enqueued on its stream; copies that may overlap with it go on streams of
// their own. The recorded part of a step is launched on that stream as a whole.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_CUDA_DEVICE_H_
#define DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_CUDA_DEVICE_H_

#include <memory>
#include <vector>

#include "kernels/device/cuda/runtime/gpu.h"
#include "kernels/device/cuda/runtime/work_recorder.h"
#include "src/framework/device/device.h"
#include "src/framework/device/graph_capture.h"

namespace dfrun::cuda {

class CudaDevice final : public Device, public CapturingDevice {
 public:
  // Makes a recorder for a device.
  using NewCapture = std::unique_ptr<GraphCapture> (*)(CudaDevice& of);

  // `host`: memory that the GPU copies from and to.
  CudaDevice(const DeviceName& name, Gpu& gpu, Allocator& host, NewCapture new_capture)
      : Device(name, gpu.memory(), host), gpu_(gpu), new_capture_(new_capture) {}
  // Stands for `of` during a recording: its memory is the recorder's arena, and its work goes to the recorder.
  CudaDevice(CudaDevice& of, Allocator& memory, WorkRecorder& recorder)
      : Device(of.name(), memory, of.host_allocator(), &of.containers()),
        gpu_(of.gpu_),
        new_capture_(of.new_capture_),
        recorder_(&recorder) {}

  // Drops the containers while the device is whole, since their values may have copies under way.
  ~CudaDevice() override {
    if (recorder_ == nullptr) containers().Reset("");
  }

  Gpu& gpu() { return gpu_; }
  // Null where work is enqueued on the GPU's stream.
  WorkRecorder* recorder() { return recorder_; }
  void WhenDone(Callback done) override;

  std::unique_ptr<GraphCapture> NewRecorder() override { return new_capture_(*this); }
  Allocator& staging() override { return PinnedMemory(); }
  Allocator& uploads() override { return gpu_.uploads(); }
  Status EnqueueCopies(std::span<const BlockCopy> copies, std::vector<Tensor> kept, bool is_last) override;
  CaptureCounters counters() const override { return gpu_.counters(); }

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

  Gpu& gpu_;
  const NewCapture new_capture_;
  WorkRecorder* const recorder_ = nullptr;
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_CUDA_DEVICE_H_
