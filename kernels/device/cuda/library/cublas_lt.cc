#include "kernels/device/cuda/library/cublas_lt.h"

#include "kernels/device/cuda/library/library.h"

namespace dfrun::cuda {
namespace {

Result<const CublasLt*> Open() {
  DF_ASSIGN(const Library library, Library::Open("libcublasLt.so." DFRUN_CUDA_MAJOR));
  static CublasLt& lt = *new CublasLt();
#define DF_GET(function) DF_TRY(library.Get(#function, lt.function))
  DF_GET(cublasLtGetVersion);
  DF_GET(cublasLtCreate);
  DF_GET(cublasLtMatmul);
  DF_GET(cublasLtMatmulAlgoCapGetAttribute);
  DF_GET(cublasLtMatmulAlgoGetHeuristic);
  DF_GET(cublasLtMatmulDescCreate);
  DF_GET(cublasLtMatmulDescDestroy);
  DF_GET(cublasLtMatmulDescSetAttribute);
  DF_GET(cublasLtMatrixLayoutCreate);
  DF_GET(cublasLtMatrixLayoutDestroy);
  DF_GET(cublasLtMatrixLayoutSetAttribute);
  DF_GET(cublasLtMatmulPreferenceCreate);
  DF_GET(cublasLtMatmulPreferenceDestroy);
  DF_GET(cublasLtMatmulPreferenceSetAttribute);
#undef DF_GET
  return &lt;
}

}  // namespace

const Result<const CublasLt*>& CublasLt::Get() {
  static const Result<const CublasLt*>& lt = *new Result<const CublasLt*>(Open());
  return lt;
}

Status CublasLt::Check(cublasStatus_t status, std::string_view what) {
  if (status == CUBLAS_STATUS_SUCCESS) return Status();
  return Internal("cannot ", what, ": cuBLASLt says status ", static_cast<int>(status));
}

}  // namespace dfrun::cuda
