// Limits of a GPU, measured without the machine's own layers: copies of the runtime, an empty launch, and calls of
// cuBLASLt and cuDNN with plans, memory and workspaces made beforehand.
#include <memory>
#include <utility>
#include <vector>

#include "kernels/device/cuda/library_call/library_conv.h"
#include "kernels/device/cuda/library_call/library_product.h"
#include "kernels/device/cuda/runtime/cuda_device.h"
#include "kernels/device/cuda/runtime/cuda_status.h"
#include "kernels/device/cuda/runtime/empty_kernel.h"
#include "src/framework/device/device_limits.h"

namespace dfrun::cuda {
namespace {

class GpuLimits final : public DeviceLimits {
 public:
  explicit GpuLimits(CudaDevice& device) : device_(device), gpu_(device.gpu()) {}

  Result<DeviceWork> Copy(int64_t bytes) override {
    return CopyBetween(device_.allocator(), device_.allocator(), bytes);
  }
  Result<DeviceWork> CopyIn(int64_t bytes) override {
    return CopyBetween(device_.host_allocator(), device_.allocator(), bytes);
  }
  Result<DeviceWork> CopyOut(int64_t bytes) override {
    return CopyBetween(device_.allocator(), device_.host_allocator(), bytes);
  }

  Result<DeviceWork> Launch() override {
    return Repeated(
        [](cudaStream_t stream) { return CudaStatus(LaunchEmptyKernel(stream), "launch a function of the GPU"); });
  }

  Result<DeviceWork> Product(int64_t size, DType dtype, const Arithmetic& arithmetic) override {
    const ProductShape shape{.m = size, .k = size, .n = size};
    DF_ASSIGN(const auto product, LibraryProduct::Create(shape, dtype, arithmetic));
    DF_ASSIGN(std::vector<Tensor> matrices,
              OfZeros(dtype, {Shape({size, size}), Shape({size, size}), Shape({size, size})}));
    DF_ASSIGN(Tensor workspace, Bytes(static_cast<int64_t>(product->workspace_bytes())));
    return Repeated([product, matrices, workspace](cudaStream_t stream) mutable {
      return product->Enqueue(stream, {matrices[0].raw(), matrices[1].raw(), nullptr, matrices[2].raw()},
                              workspace.raw());
    });
  }

  Result<DeviceWork> Convolution(const SquareConv& conv, ConvPass pass, DType dtype,
                                 const Arithmetic& arithmetic) override {
    const ConvResult result = pass == ConvPass::kForward         ? ConvResult::kOutput
                              : pass == ConvPass::kInputGradient ? ConvResult::kInput
                                                                 : ConvResult::kFilter;
    DF_ASSIGN(const auto plan,
              LibraryConv::Create({.result = result, .shape = ShapeOf(conv), .dtype = dtype, .arithmetic = arithmetic},
                                  gpu_.index()));
    DF_ASSIGN(std::vector<Tensor> tensors, OfZeros(dtype, {conv.input(), conv.filter(), conv.output()}));
    DF_ASSIGN(Tensor workspace, Bytes(plan->workspace_bytes()));
    return Repeated([plan, tensors, workspace](cudaStream_t stream) mutable {
      return plan->Enqueue(stream, {tensors[0].raw(), tensors[1].raw(), tensors[2].raw()}, workspace.raw());
    });
  }

 private:
  static LibraryConvShape ShapeOf(const SquareConv& c) {
    const int64_t before = c.padding() / 2;
    const int64_t after = c.padding() - before;
    return {.input = {c.images, c.in_channels, c.side, c.side},
            .filter = {c.out_channels, c.in_channels, c.filter_side, c.filter_side},
            .output = {c.images, c.out_channels, c.output_side(), c.output_side()},
            .strides = {c.stride, c.stride},
            .dilations = {1, 1},
            .pad_before = {before, before},
            .pad_after = {after, after}};
  }

  template <class Enqueue>
  DeviceWork Repeated(Enqueue enqueue) {
    return [this, enqueue = std::move(enqueue)](int times) mutable -> Status {
      gpu_.MakeCurrent();
      Status status;
      const auto all = [&](cudaStream_t stream) {
        for (int i = 0; i < times && status.ok(); ++i) status = enqueue(stream);
        return cudaSuccess;
      };
      gpu_.Enqueue(all);
      DF_TRY(status);
      return device_.Synchronize();
    };
  }

  Result<DeviceWork> CopyBetween(Allocator& from_memory, Allocator& to_memory, int64_t bytes) {
    DF_ASSIGN(const Tensor from, Tensor::Allocate(from_memory, DType::kUint8, Shape({bytes})));
    DF_ASSIGN(Tensor to, Tensor::Allocate(to_memory, DType::kUint8, Shape({bytes})));
    return Repeated([from, to](cudaStream_t stream) mutable {
      return CudaStatus(cudaMemcpyAsync(to.raw(), from.raw(), from.num_bytes(), cudaMemcpyDefault, stream),
                        "copy bytes");
    });
  }

  Result<Tensor> Bytes(int64_t count) { return Tensor::Allocate(device_.allocator(), DType::kUint8, Shape({count})); }

  Result<std::vector<Tensor>> OfZeros(DType dtype, const std::vector<Shape>& shapes) {
    gpu_.MakeCurrent();
    std::vector<Tensor> tensors;
    for (const Shape& shape : shapes) {
      DF_ASSIGN(Tensor tensor, Tensor::Allocate(device_.allocator(), dtype, shape));
      const cudaError_t set = gpu_.Enqueue(
          [&](cudaStream_t stream) { return cudaMemsetAsync(tensor.raw(), 0, tensor.num_bytes(), stream); });
      DF_TRY(CudaStatus(set, "set bytes"));
      tensors.push_back(std::move(tensor));
    }
    return tensors;
  }

  CudaDevice& device_;
  Gpu& gpu_;
};

std::unique_ptr<DeviceLimits> MakeGpuLimits(Device& device) {
  return std::make_unique<GpuLimits>(static_cast<CudaDevice&>(device));
}

DEVICE_LIMITS("gpu", &MakeGpuLimits);

}  // namespace
}  // namespace dfrun::cuda
