// cuDNN's graph interface, opened at run time.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_CUDNN_H_
#define DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_CUDNN_H_

#include <cudnn.h>

#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/status.h"

namespace dfrun::cuda {

// The functions that are used, under the library's names. Lives as long as the process.
struct Cudnn {
  // Opened by the first call. NotFound where it is absent.
  static const Result<const Cudnn*>& Get();
  // The handle for the GPU `gpu`, which is current. The first call for it makes the handle.
  Result<cudnnHandle_t> Handle(int gpu) const;
  Status Check(cudnnStatus_t status, std::string_view what) const;

  decltype(::cudnnGetVersion)* cudnnGetVersion = nullptr;
  decltype(::cudnnGetCudartVersion)* cudnnGetCudartVersion = nullptr;
  decltype(::cudnnGetErrorString)* cudnnGetErrorString = nullptr;
  decltype(::cudnnCreate)* cudnnCreate = nullptr;
  decltype(::cudnnSetStream)* cudnnSetStream = nullptr;
  decltype(::cudnnBackendCreateDescriptor)* cudnnBackendCreateDescriptor = nullptr;
  decltype(::cudnnBackendDestroyDescriptor)* cudnnBackendDestroyDescriptor = nullptr;
  decltype(::cudnnBackendFinalize)* cudnnBackendFinalize = nullptr;
  decltype(::cudnnBackendSetAttribute)* cudnnBackendSetAttribute = nullptr;
  decltype(::cudnnBackendGetAttribute)* cudnnBackendGetAttribute = nullptr;
  decltype(::cudnnBackendExecute)* cudnnBackendExecute = nullptr;
};

// A descriptor of the library's. The first error of the calls that set attributes is kept for Finalize().
class CudnnDescriptor {
 public:
  CudnnDescriptor(const Cudnn& cudnn, cudnnBackendDescriptorType_t type, std::string_view what);
  ~CudnnDescriptor();
  CudnnDescriptor(CudnnDescriptor&& other) noexcept
      : cudnn_(other.cudnn_),
        what_(other.what_),
        descriptor_(std::exchange(other.descriptor_, nullptr)),
        status_(std::move(other.status_)) {}
  CudnnDescriptor(const CudnnDescriptor&) = delete;
  CudnnDescriptor& operator=(const CudnnDescriptor&) = delete;

  cudnnBackendDescriptor_t get() const { return descriptor_; }

  void SetInts(cudnnBackendAttributeName_t name, const std::vector<int64_t>& values) {
    Set(name, CUDNN_TYPE_INT64, static_cast<int64_t>(values.size()), values.data());
  }
  template <class T>
  void SetOne(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, const T& value) {
    Set(name, type, 1, &value);
  }
  void SetDescriptor(cudnnBackendAttributeName_t name, const CudnnDescriptor& value) {
    SetOne(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, value.descriptor_);
  }
  void Set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count, const void* values);
  Status Finalize();
  // Up to `count` values; how many there are.
  Result<int64_t> Get(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count,
                      void* values) const;

 private:
  const Cudnn& cudnn_;
  const std::string_view what_;
  cudnnBackendDescriptor_t descriptor_ = nullptr;
  Status status_;
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_CUDNN_H_
