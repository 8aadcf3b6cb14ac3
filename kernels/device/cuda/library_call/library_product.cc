#include "kernels/device/cuda/library_call/library_product.h"

#include <map>

#include "kernels/device/cuda/library/library.h"
#include "kernels/device/cuda/runtime/cuda_kernel.h"

namespace dfrun::cuda {
namespace {

constexpr size_t kMaxWorkspace = size_t{32} << 20;
constexpr int kOffered = 8;  // ways that the library is asked for, the one that it takes for the fastest first

// The handle for the GPU that is current, which is the process's only one or the thread's.
Result<cublasLtHandle_t> HandleOf(const CublasLt& lt, int gpu) {
  static Mutex& mu = *new Mutex();
  static std::map<int, cublasLtHandle_t>& handles = *new std::map<int, cublasLtHandle_t>();
  MutexLock lock(mu);
  if (const auto found = handles.find(gpu); found != handles.end()) return found->second;
  cublasLtHandle_t handle = nullptr;
  DF_TRY(CublasLt::Check(lt.cublasLtCreate(&handle), "begin to use the library of products"));
  handles[gpu] = handle;
  return handle;
}

Result<cudaDataType_t> DataTypeOf(DType dtype) {
  switch (dtype) {
    case DType::kHalf:
      return CUDA_R_16F;
    case DType::kBfloat16:
      return CUDA_R_16BF;
    case DType::kFloat:
      return CUDA_R_32F;
    case DType::kDouble:
      return CUDA_R_64F;
    default:
      return Unimplemented("the library of products has none of ", dtype);
  }
}

}  // namespace

Result<std::shared_ptr<const LibraryProduct>> LibraryProduct::Create(const ProductShape& shape, DType dtype,
                                                                     const Arithmetic& arithmetic) {
  if (!CublasLt::Get().ok()) return CublasLt::Get().status();
  std::shared_ptr<LibraryProduct> made(new LibraryProduct(**CublasLt::Get()));
  DF_TRY(made->Describe(shape, dtype, arithmetic));
  DF_TRY(made->Choose(arithmetic));
  return std::shared_ptr<const LibraryProduct>(std::move(made));
}

LibraryProduct::~LibraryProduct() {
  if (product_ != nullptr) lt_.cublasLtMatmulDescDestroy(product_);
  for (cublasLtMatrixLayout_t layout : {first_, second_, result_}) {
    if (layout != nullptr) lt_.cublasLtMatrixLayoutDestroy(layout);
  }
}

// The library's matrices are column-major: a row-major C is the transpose of one, and so the product of the transposes
// of B and A.
Status LibraryProduct::Describe(const ProductShape& s, DType dtype, const Arithmetic& arithmetic) {
  DF_ASSIGN(const cudaDataType_t type, DataTypeOf(dtype));
  is_double_ = dtype == DType::kDouble;
  has_bias_ = s.has_bias;
  const auto make = [&](cublasLtMatrixLayout_t& layout, int64_t rows, int64_t columns, int64_t given_pitch,
                        bool repeats) -> Status {
    const int64_t pitch = given_pitch == 0 ? rows : given_pitch;
    DF_TRY(CublasLt::Check(lt_.cublasLtMatrixLayoutCreate(&layout, type, static_cast<uint64_t>(rows),
                                                          static_cast<uint64_t>(columns), pitch),
                           "describe a matrix"));
    const auto batches = static_cast<int32_t>(s.batches);
    const int64_t stride = repeats ? 0 : pitch * columns;
    DF_TRY(CublasLt::Check(
        lt_.cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batches, sizeof(batches)),
        "describe a batch"));
    return CublasLt::Check(lt_.cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                                                &stride, sizeof(stride)),
                           "describe a batch");
  };
  DF_TRY(s.transpose_b ? make(first_, s.k, s.n, s.row_b, s.repeats_b) : make(first_, s.n, s.k, s.row_b, s.repeats_b));
  DF_TRY(s.transpose_a ? make(second_, s.m, s.k, s.row_a, s.repeats_a) : make(second_, s.k, s.m, s.row_a, s.repeats_a));
  DF_TRY(make(result_, s.n, s.m, s.row_c, false));
  const bool is_tf32 = dtype == DType::kFloat && arithmetic.tf32;
  const cublasComputeType_t computes_in = is_double_ ? CUBLAS_COMPUTE_64F
                                          : is_tf32  ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                     : CUBLAS_COMPUTE_32F;
  DF_TRY(CublasLt::Check(lt_.cublasLtMatmulDescCreate(&product_, computes_in, is_double_ ? CUDA_R_64F : CUDA_R_32F),
                         "describe a product"));
  const auto transpose = [&](cublasLtMatmulDescAttributes_t which, bool is_transposed) {
    const cublasOperation_t operation = is_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    return CublasLt::Check(lt_.cublasLtMatmulDescSetAttribute(product_, which, &operation, sizeof(operation)),
                           "describe a product");
  };
  DF_TRY(transpose(CUBLASLT_MATMUL_DESC_TRANSA, s.transpose_b));
  DF_TRY(transpose(CUBLASLT_MATMUL_DESC_TRANSB, s.transpose_a));
  if (!has_bias_) return Status();
  // Relu is not the library's: it does not promise to keep NaN.
  const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_BIAS;
  return CublasLt::Check(
      lt_.cublasLtMatmulDescSetAttribute(product_, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof(epilogue)),
      "describe a product and its bias");
}

Status LibraryProduct::Choose(const Arithmetic& arithmetic) {
  int gpu = 0;
  cudaGetDevice(&gpu);
  DF_ASSIGN(handle_, HandleOf(lt_, gpu));
  cublasLtMatmulPreference_t preference = nullptr;
  DF_TRY(CublasLt::Check(lt_.cublasLtMatmulPreferenceCreate(&preference), "choose a way to multiply"));
  const uint64_t most = kMaxWorkspace;
  lt_.cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof(most));
  // Parts of a sum that are added in place are so in no fixed order.
  const uint32_t reductions = arithmetic.deterministic
                                  ? CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE | CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE
                                  : CUBLASLT_REDUCTION_SCHEME_MASK;
  lt_.cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &reductions,
                                           sizeof(reductions));
  // By default, the library assumes that matrices lie on multiples of 256, which small tensors of a step do not.
  const uint32_t alignment = kLibraryAlignment;
  for (const cublasLtMatmulPreferenceAttributes_t matrix :
       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
    lt_.cublasLtMatmulPreferenceSetAttribute(preference, matrix, &alignment, sizeof(alignment));
  }
  cublasLtMatmulHeuristicResult_t offered[kOffered] = {};
  int count = 0;
  const cublasStatus_t status = lt_.cublasLtMatmulAlgoGetHeuristic(handle_, product_, first_, second_, result_, result_,
                                                                   preference, kOffered, offered, &count);
  lt_.cublasLtMatmulPreferenceDestroy(preference);
  DF_TRY(CublasLt::Check(status, "choose a way to multiply"));
  if (count == 0) return Unimplemented("the library of products has no way to do this one");
  // The library's first way in TF32 uses no tensor cores where the inner dimension is no multiple of 4, which takes
  // three times as long.
  int chosen = 0;
  while (chosen < count && !UsesTensorCores(offered[chosen].algo)) ++chosen;
  if (chosen == count) chosen = 0;
  algorithm_ = offered[chosen].algo;
  workspace_bytes_ = offered[chosen].workspaceSize;
  return Status();
}

bool LibraryProduct::UsesTensorCores(const cublasLtMatmulAlgo_t& algorithm) const {
  uint64_t flags = 0;
  size_t written = 0;
  return lt_.cublasLtMatmulAlgoCapGetAttribute(&algorithm, CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS, &flags,
                                               sizeof(flags), &written) == CUBLAS_STATUS_SUCCESS &&
         (flags & CUBLASLT_NUMERICAL_IMPL_FLAGS_TENSOR_OP_MASK) != 0;
}

Status LibraryProduct::Run(OpContext& ctx, const Data& data) const {
  DF_ASSIGN(Tensor workspace, ctx.AllocateTemp(DType::kUint8, Shape({static_cast<int64_t>(workspace_bytes_)})));
  return EnqueueLibraryCall(ctx, workspace_bytes_,
                            [&](cudaStream_t stream) { return Enqueue(stream, data, workspace.raw()); });
}

Status LibraryProduct::Enqueue(cudaStream_t stream, const Data& data, void* workspace) const {
  const double one_double = 1;
  const double zero_double = 0;
  const float one = 1;
  const float zero = 0;
  const void* const alpha = is_double_ ? static_cast<const void*>(&one_double) : &one;
  const void* const beta = is_double_ ? static_cast<const void*>(&zero_double) : &zero;
  cublasLtMatmulDescOpaque_t product = *product_;  // a copy for this call, since the bias' address is a part of it
  if (has_bias_) {
    DF_TRY(CublasLt::Check(
        lt_.cublasLtMatmulDescSetAttribute(&product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &data.bias, sizeof(data.bias)),
        "name the bias of a product"));
  }
  return CublasLt::Check(lt_.cublasLtMatmul(handle_, &product, alpha, data.b, first_, data.a, second_, beta, data.c,
                                            result_, data.c, result_, &algorithm_, workspace, workspace_bytes_, stream),
                         "multiply");
}

}  // namespace dfrun::cuda
