// cuFFT, opened at run time, as the library of transforms.
#include <cufftXt.h>

#include "kernels/device/cuda/library/library.h"
#include "kernels/device/cuda/library_call/library_transform.h"
#include "src/base/mutex.h"

namespace dfrun::cuda {
namespace {

// The functions that are used, under the library's names. Lives as long as the process.
struct Cufft {
  // Opened by the first call. NotFound where it is absent.
  static const Result<const Cufft*>& Get();
  static Status Check(cufftResult_t status, std::string_view what);

  decltype(::cufftGetVersion)* cufftGetVersion = nullptr;
  decltype(::cufftCreate)* cufftCreate = nullptr;
  decltype(::cufftDestroy)* cufftDestroy = nullptr;
  decltype(::cufftSetAutoAllocation)* cufftSetAutoAllocation = nullptr;
  decltype(::cufftSetStream)* cufftSetStream = nullptr;
  decltype(::cufftSetWorkArea)* cufftSetWorkArea = nullptr;
  decltype(::cufftXtMakePlanMany)* cufftXtMakePlanMany = nullptr;
  decltype(::cufftXtExec)* cufftXtExec = nullptr;
};

Result<const Cufft*> Open() {
  DF_ASSIGN(const Library library, Library::Open(StrCat("libcufft.so.", CUFFT_VER_MAJOR)));
  static Cufft& cufft = *new Cufft();
#define DF_GET(function) DF_TRY(library.Get(#function, cufft.function))
  DF_GET(cufftGetVersion);
  DF_GET(cufftCreate);
  DF_GET(cufftDestroy);
  DF_GET(cufftSetAutoAllocation);
  DF_GET(cufftSetStream);
  DF_GET(cufftSetWorkArea);
  DF_GET(cufftXtMakePlanMany);
  DF_GET(cufftXtExec);
#undef DF_GET
  return &cufft;
}

const Result<const Cufft*>& Cufft::Get() {
  static const Result<const Cufft*>& cufft = *new Result<const Cufft*>(Open());
  return cufft;
}

Status Cufft::Check(cufftResult_t status, std::string_view what) {
  if (status == CUFFT_SUCCESS) return Status();
  return Internal("cannot ", what, ": cuFFT says status ", static_cast<int>(status));
}

Result<cudaDataType> DataTypeOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat:
      return CUDA_R_32F;
    case DType::kDouble:
      return CUDA_R_64F;
    case DType::kComplex64:
      return CUDA_C_32F;
    case DType::kComplex128:
      return CUDA_C_64F;
    default:
      return Unimplemented("the library of transforms has none of ", dtype);
  }
}

class CufftTransform final : public LibraryTransform {
 public:
  explicit CufftTransform(const Cufft& cufft) : cufft_(cufft) {}
  ~CufftTransform() override {
    if (has_plan_) cufft_.cufftDestroy(plan_);
  }
  Status Describe(const TransformShape& shape);

  Status Enqueue(cudaStream_t stream, void* x, void* y, void* workspace) const override {
    MutexLock lock(mu_);
    DF_TRY(Cufft::Check(cufft_.cufftSetStream(plan_, stream), "use a stream"));
    if (workspace_bytes_ > 0) DF_TRY(Cufft::Check(cufft_.cufftSetWorkArea(plan_, workspace), "use a workspace"));
    return Cufft::Check(cufft_.cufftXtExec(plan_, x, y, direction_), "transform");
  }
  size_t workspace_bytes() const override { return workspace_bytes_; }

 private:
  const Cufft& cufft_;
  mutable Mutex mu_;  // a plan has one stream at a time
  cufftHandle plan_ = 0;
  bool has_plan_ = false;
  int direction_ = CUFFT_FORWARD;
  size_t workspace_bytes_ = 0;
};

Status CufftTransform::Describe(const TransformShape& shape) {
  DF_ASSIGN(const cudaDataType from, DataTypeOf(shape.from));
  DF_ASSIGN(const cudaDataType to, DataTypeOf(shape.to));
  // The complex side decides the precision, which a real one leaves open.
  const cudaDataType computes_in = IsComplex(shape.from) ? from : to;
  direction_ = shape.inverse ? CUFFT_INVERSE : CUFFT_FORWARD;
  DF_TRY(Cufft::Check(cufft_.cufftCreate(&plan_), "begin a plan"));
  has_plan_ = true;
  DF_TRY(Cufft::Check(cufft_.cufftSetAutoAllocation(plan_, 0), "give a plan its memory"));
  std::vector<long long> sizes(shape.sizes.begin(), shape.sizes.end());
  return Cufft::Check(cufft_.cufftXtMakePlanMany(plan_, static_cast<int>(sizes.size()), sizes.data(), nullptr, 1, 0,
                                                 from, nullptr, 1, 0, to, shape.batch, &workspace_bytes_, computes_in),
                      "plan a transform");
}

Result<std::string> VersionText() {
  DF_ASSIGN(const Cufft* const cufft, Cufft::Get());
  int version = 0;  // 12103
  DF_TRY(Cufft::Check(cufft->cufftGetVersion(&version), "tell the version"));
  return StrCat(version / 1000, ".", version / 100 % 10, ".", version % 100);
}

}  // namespace

const Result<std::string>& LibraryTransform::Version() {
  static const Result<std::string>& version = *new Result<std::string>(VersionText());
  return version;
}

Result<std::shared_ptr<const LibraryTransform>> LibraryTransform::Create(const TransformShape& shape) {
  DF_ASSIGN(const Cufft* const cufft, Cufft::Get());
  auto made = std::make_shared<CufftTransform>(*cufft);
  DF_TRY(made->Describe(shape));
  return std::shared_ptr<const LibraryTransform>(std::move(made));
}

}  // namespace dfrun::cuda
