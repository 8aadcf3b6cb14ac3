// The engine of kernels that move elements, on CPUs.
//
// Such a kernel is a class template over its device's engine:
//     static Status Copy(OpContext& ctx, DType dtype, const void* from, void* to, std::vector<CopyDim> dims);
//     static Status Fill(OpContext& ctx, Tensor& to, const void* value);   // null: the dtype's zero
// and a device registers it with its own.
#ifndef DFRUN_KERNELS_ARRAY_COPY_MOVEMENT_CPU_H_
#define DFRUN_KERNELS_ARRAY_COPY_MOVEMENT_CPU_H_

#include <utility>
#include <vector>

#include "kernels/array/copy/axis_copy.h"
#include "kernels/array/copy/fill_elements.h"
#include "kernels/array/copy/strided_copy.h"
#include "kernels/array/element_size.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun::cpu {

struct Movement {
  static Status Copy(OpContext& ctx, DType dtype, const void* from, void* to, std::vector<CopyDim> dims) {
    StridedCopy(ctx.pool(), dtype, from, to, std::move(dims));
    return Status();
  }
  static Status Fill(OpContext& ctx, Tensor& to, const void* value) {
    VisitElement(to.dtype(), [&](auto tag) {
      using E = typename decltype(tag)::type;
      FillElements(ctx.pool(), static_cast<E*>(to.raw()), to.num_elements(),
                   value == nullptr ? E() : *static_cast<const E*>(value));
    });
    return Status();
  }
  static Status Join(OpContext& ctx, const AxisParts& parts, Tensor& whole) {
    parts.CopyInto(ctx.pool(), whole);
    return Status();
  }
  static Status Cut(OpContext& ctx, const AxisParts& parts, const Tensor& whole) {
    parts.CopyFrom(ctx.pool(), whole);
    return Status();
  }
};

}  // namespace dfrun::cpu

#endif  // DFRUN_KERNELS_ARRAY_COPY_MOVEMENT_CPU_H_
