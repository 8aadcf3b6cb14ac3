// The GPUs' engine of results whose elements are each an element of an input, or of another: a map says which.
#ifndef DFRUN_KERNELS_ARRAY_COPY_PICK_CUDA_H_
#define DFRUN_KERNELS_ARRAY_COPY_PICK_CUDA_H_

#include "kernels/array/element_size.h"
#include "kernels/device/cuda/runtime/launch.h"

namespace dfrun::cuda {

// The values for elements that the map sends to -1: zeros, one value (step 0), or the elements of a tensor like the
// result (step 1), which may be the result itself.
struct Otherwise {
  const void* data = nullptr;
  int64_t step = 0;
};

template <class E, class Map>
DF_DEVICE_KERNEL void PickElements(const E* x, const E* other, int64_t other_step, E* y, int64_t n, Map map) {
  const int64_t i = GlobalThreadId();
  if (i >= n) return;
  const int64_t at = map(i);
  if (at >= 0) {
    y[i] = x[at];
  } else {
    y[i] = other == nullptr ? E() : other[i * other_step];
  }
}

// y[i] = x[map(i)]. A map is plain data with a constexpr or a GPU's function
//     int64_t operator()(int64_t i) const;
template <class Map>
Status Pick(OpContext& ctx, const void* x, Tensor& y, const Map& map, const Otherwise& otherwise = {}) {
  Status status;
  VisitElementOfSize(DTypeSize(y.dtype()), [&](auto tag) {
    using E = typename decltype(tag)::type;
    status =
        Launch(ctx, y.num_elements(), &PickElements<E, Map>, static_cast<const E*>(x),
               static_cast<const E*>(otherwise.data), otherwise.step, static_cast<E*>(y.raw()), y.num_elements(), map);
  });
  return status;
}

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_ARRAY_COPY_PICK_CUDA_H_
