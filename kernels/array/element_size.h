// Data movement does not look at elements: it is written for their sizes, not for their dtypes.
#ifndef DFRUN_KERNELS_ARRAY_ELEMENT_SIZE_H_
#define DFRUN_KERNELS_ARRAY_ELEMENT_SIZE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "src/framework/values/dtype.h"
#include "src/framework/values/resource.h"
#include "src/framework/values/variant.h"

namespace dfrun {

struct alignas(8) Bytes16 {
  uint64_t words[2];
};

// Calls f with the TypeTag of an unsigned type of `bytes`, a power of two up to 16.
template <class F>
void VisitElementOfSize(size_t bytes, F&& f) {
  switch (bytes) {
    case 1:
      return f(TypeTag<uint8_t>());
    case 2:
      return f(TypeTag<uint16_t>());
    case 4:
      return f(TypeTag<uint32_t>());
    case 8:
      return f(TypeTag<uint64_t>());
    case 16:
      return f(TypeTag<Bytes16>());
    default:
      return;
  }
}

// Calls f with the TypeTag of a type whose assignment copies an element of `dtype`. E() is the dtype's zero.
template <class F>
void VisitElement(DType dtype, F&& f) {
  if (!VisitObjectDType(dtype, f)) VisitElementOfSize(DTypeSize(dtype), f);
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_ELEMENT_SIZE_H_
