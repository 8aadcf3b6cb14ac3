// cuBLASLt, opened at run time.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_CUBLAS_LT_H_
#define DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_CUBLAS_LT_H_

#include <cublasLt.h>

#include <string_view>

#include "src/base/status.h"

namespace dfrun::cuda {

// The functions that are used, under the library's names. Lives as long as the process.
struct CublasLt {
  // Opened by the first call. NotFound where it is absent.
  static const Result<const CublasLt*>& Get();

  size_t Version() const { return cublasLtGetVersion(); }
  // "cannot <what>: cuBLASLt ..." ; OK for success.
  static Status Check(cublasStatus_t status, std::string_view what);

  decltype(::cublasLtGetVersion)* cublasLtGetVersion = nullptr;
  decltype(::cublasLtCreate)* cublasLtCreate = nullptr;
  decltype(::cublasLtMatmul)* cublasLtMatmul = nullptr;
  decltype(::cublasLtMatmulAlgoCapGetAttribute)* cublasLtMatmulAlgoCapGetAttribute = nullptr;
  decltype(::cublasLtMatmulAlgoGetHeuristic)* cublasLtMatmulAlgoGetHeuristic = nullptr;
  decltype(::cublasLtMatmulDescCreate)* cublasLtMatmulDescCreate = nullptr;
  decltype(::cublasLtMatmulDescDestroy)* cublasLtMatmulDescDestroy = nullptr;
  decltype(::cublasLtMatmulDescSetAttribute)* cublasLtMatmulDescSetAttribute = nullptr;
  decltype(::cublasLtMatrixLayoutCreate)* cublasLtMatrixLayoutCreate = nullptr;
  decltype(::cublasLtMatrixLayoutDestroy)* cublasLtMatrixLayoutDestroy = nullptr;
  decltype(::cublasLtMatrixLayoutSetAttribute)* cublasLtMatrixLayoutSetAttribute = nullptr;
  decltype(::cublasLtMatmulPreferenceCreate)* cublasLtMatmulPreferenceCreate = nullptr;
  decltype(::cublasLtMatmulPreferenceDestroy)* cublasLtMatmulPreferenceDestroy = nullptr;
  decltype(::cublasLtMatmulPreferenceSetAttribute)* cublasLtMatmulPreferenceSetAttribute = nullptr;
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_CUBLAS_LT_H_
