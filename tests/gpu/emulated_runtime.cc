// The functions of the CUDA runtime that the device calls, on a GPU that is this host's memory. Fresh memory holds NaN,
// and so does freed memory (emulated_pool.cc). Streams are in emulated_streams.cc, graphs in emulated_graph.cc. The
// environment variable DFRUN_EMULATED_CARD emulates a host with no-driver, an old-driver or no-gpu, or a GPU of
// another compute capability, sm_75.
#include <cuda_runtime_api.h>

#include <cstdlib>
#include <cstring>

#include "tests/gpu/emulated_call.h"
#include "tests/gpu/emulated_memory.h"
#include "tests/gpu/emulated_settings.h"

// NOLINTBEGIN(readability-identifier-naming): names of the library
namespace emulated = dfrun::cuda::emulated;

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 0;
  if (emulated::IsEmulatedGpu("no-driver") || emulated::IsEmulatedGpu("old-driver")) return cudaErrorInsufficientDriver;
  if (emulated::IsEmulatedGpu("no-gpu")) return cudaErrorNoDevice;
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int) {
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = emulated::IsEmulatedGpu("no-driver") ? 0 : emulated::IsEmulatedGpu("old-driver") ? 12020 : CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  const int capability = emulated::ComputeCapabilityNumber();
  switch (attribute) {
    case cudaDevAttrComputeCapabilityMajor:
      *value = capability / 10;
      return cudaSuccess;
    case cudaDevAttrComputeCapabilityMinor:
      *value = capability % 10;
      return cudaSuccess;
    default:
      return cudaErrorNotSupported;
  }
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  std::strcpy(properties->name, "emulated");
  properties->totalGlobalMem = size_t{16} << 30;
  properties->major = emulated::ComputeCapabilityNumber() / 10;
  properties->minor = emulated::ComputeCapabilityNumber() % 10;
  return cudaSuccess;
}
const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorNoDevice ? "no CUDA-capable device is detected" : "an error";
}
const char* cudaGetErrorName(cudaError_t error) {
  return error == cudaErrorNoDevice ? "cudaErrorNoDevice" : "cudaError";
}
cudaError_t cudaGetLastError() {
  return cudaSuccess;
}
cudaError_t cudaMalloc(void** memory, size_t bytes) {
  *memory = emulated::TakeGpuMemory(bytes);
  return *memory == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}
cudaError_t cudaHostAlloc(void** memory, size_t bytes, unsigned) {
  constexpr size_t kAlignment = 256;
  if (posix_memalign(memory, kAlignment, bytes) != 0) return cudaErrorMemoryAllocation;
  std::memset(*memory, 0xff, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
  return emulated::Enqueue(stream, emulated::KeepCopy(to, from, bytes));
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  return emulated::Enqueue(stream, emulated::KeepFill(to, value, bytes));
}
cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3, void** args, size_t, cudaStream_t stream) {
  return emulated::Enqueue(stream, emulated::KeepCall(kernel, grid.x, args));
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
