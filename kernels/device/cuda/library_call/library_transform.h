// Fourier transforms by cuFFT on a GPU.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_CALL_LIBRARY_TRANSFORM_H_
#define DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_CALL_LIBRARY_TRANSFORM_H_

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "src/framework/kernel/op_context.h"

namespace dfrun::cuda {

// Transforms of real or complex numbers, of which one side at least is complex; of real numbers' spectra there is the
// half that is not the conjugate of the other. They lie in row-major order without gaps. Nothing is divided by a number
// of points.
struct TransformShape {
  DType from = DType::kComplex64;
  DType to = DType::kComplex64;
  bool inverse = false;        // only from complex to complex numbers: the exponents are positive
  std::vector<int64_t> sizes;  // in points, of the 1 to 3 dimensions of a transform
  int64_t batch = 1;
  bool operator==(const TransformShape&) const = default;
};

// A plan of the library's, for the GPU that was current when it was made. Its tables lie in the GPU's memory: a
// recorded call needs them as long as it is launched. Results have the same bits in every run.
// Thread safety: any thread.
class LibraryTransform {
 public:
  // The library's version; NotFound, with the reason, where the library is absent.
  static const Result<std::string>& Version();
  static Result<std::shared_ptr<const LibraryTransform>> Create(const TransformShape& shape);
  virtual ~LibraryTransform() = default;

  // Enqueues it, of data that are for libraries by their addresses (library.h). Where y is real, x is not kept.
  Status Run(OpContext& ctx, void* x, void* y) const;
  // Enqueues the transform on a stream of the GPU. `workspace` is workspace_bytes() of its memory that nothing else
  // uses meanwhile.
  virtual Status Enqueue(cudaStream_t stream, void* x, void* y, void* workspace) const = 0;
  virtual size_t workspace_bytes() const = 0;
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_CALL_LIBRARY_TRANSFORM_H_
