// /device:gpu:N: a card of NVIDIA's. Work on it is enqueued on its stream; copies that may overlap with it go on
// streams of their own. A step without control flow could be one CUDA graph; its nodes are enqueued one by one so far.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_CUDA_DEVICE_H_
#define DFRUN_KERNELS_DEVICE_CUDA_CUDA_DEVICE_H_

#include "kernels/device/cuda/card.h"
#include "src/framework/device.h"

namespace dfrun::cuda {

class CudaDevice final : public Device {
 public:
  // `host`: memory that the card copies from and to.
  CudaDevice(const DeviceName& name, Card& card, Allocator& host) : Device(name, card.memory(), host), card_(card) {}

  Card& card() { return card_; }
  void WhenDone(Callback done) override;

 protected:
  void EnqueueCopy(const Tensor& from, Tensor& to, Callback done) override;

 private:
  // Which stream a copy is enqueued on; the tensors that it then keeps.
  cudaStream_t StreamOf(const Tensor& from, const Tensor& to) const;
  Status StartCopy(const Tensor& from, Tensor& to, Callback done);
  Status Named(const Status& status) const;

  Card& card_;
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_CUDA_DEVICE_H_
