#include "kernels/device/cuda/library/cudnn.h"

#include <map>

#include "kernels/device/cuda/library/library.h"
#include "src/base/mutex.h"

namespace dfrun::cuda {
namespace {

Result<const Cudnn*> Open() {
  DF_ASSIGN(const Library library, Library::Open(DFRUN_CUDNN_SONAME));
  static Cudnn& cudnn = *new Cudnn();
#define DF_GET(function) DF_TRY(library.Get(#function, cudnn.function))
  DF_GET(cudnnGetVersion);
  DF_GET(cudnnGetCudartVersion);
  DF_GET(cudnnGetErrorString);
  DF_GET(cudnnCreate);
  DF_GET(cudnnSetStream);
  DF_GET(cudnnBackendCreateDescriptor);
  DF_GET(cudnnBackendDestroyDescriptor);
  DF_GET(cudnnBackendFinalize);
  DF_GET(cudnnBackendSetAttribute);
  DF_GET(cudnnBackendGetAttribute);
  DF_GET(cudnnBackendExecute);
#undef DF_GET
  return &cudnn;
}

}  // namespace

const Result<const Cudnn*>& Cudnn::Get() {
  static const Result<const Cudnn*>& cudnn = *new Result<const Cudnn*>(Open());
  return cudnn;
}

Result<cudnnHandle_t> Cudnn::Handle(int gpu) const {
  static Mutex& mu = *new Mutex();
  static std::map<int, cudnnHandle_t>& handles = *new std::map<int, cudnnHandle_t>();
  MutexLock lock(mu);
  if (const auto found = handles.find(gpu); found != handles.end()) return found->second;
  cudnnHandle_t handle = nullptr;
  DF_TRY(Check(cudnnCreate(&handle), "begin to use the library"));
  handles[gpu] = handle;
  return handle;
}

Status Cudnn::Check(cudnnStatus_t status, std::string_view what) const {
  if (status == CUDNN_STATUS_SUCCESS) return Status();
  const auto code = status >= CUDNN_STATUS_NOT_SUPPORTED && status < CUDNN_STATUS_INTERNAL_ERROR ? Code::kUnimplemented
                                                                                                 : Code::kInternal;
  return Error(code, "cuDNN cannot ", what, ": ", cudnnGetErrorString(status));
}

CudnnDescriptor::CudnnDescriptor(const Cudnn& cudnn, cudnnBackendDescriptorType_t type, std::string_view what)
    : cudnn_(cudnn), what_(what) {
  status_ = cudnn_.Check(cudnn_.cudnnBackendCreateDescriptor(type, &descriptor_), what_);
}

CudnnDescriptor::~CudnnDescriptor() {
  if (descriptor_ != nullptr) cudnn_.cudnnBackendDestroyDescriptor(descriptor_);
}

void CudnnDescriptor::Set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count,
                          const void* values) {
  if (!status_.ok()) return;
  status_ = cudnn_.Check(cudnn_.cudnnBackendSetAttribute(descriptor_, name, type, count, values), what_);
}

Status CudnnDescriptor::Finalize() {
  DF_TRY(status_);
  return cudnn_.Check(cudnn_.cudnnBackendFinalize(descriptor_), what_);
}

Result<int64_t> CudnnDescriptor::Get(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count,
                                     void* values) const {
  int64_t got = 0;
  DF_TRY(cudnn_.Check(cudnn_.cudnnBackendGetAttribute(descriptor_, name, type, count, &got, values), what_));
  return got;
}

}  // namespace dfrun::cuda
