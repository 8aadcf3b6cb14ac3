// One oneDNN convolution: of a fixed number of images, with every operand in the order that suits the library. Only
// where DFRUN_ONEDNN is defined.
#ifndef DFRUN_KERNELS_NN_ONEDNN_CONV_PRIMITIVE_H_
#define DFRUN_KERNELS_NN_ONEDNN_CONV_PRIMITIVE_H_

#include <memory>

#include "kernels/device/onednn_call.h"
#include "kernels/nn/conv.h"

namespace dfrun {

// Filters are in the library's order: reordering one takes 0.2 to 4 us, and saves half to nine tenths of the time.
// Images with channels last stay as they are; with channels first, where they cost the library 2 to 5 times as long,
// they are reordered on the way. Thread safety: const methods from any thread.
class OneDnnConvPrimitive {
 public:
  // `filter_order`: the order of the filter, or null for any. May throw dnnl::error.
  OneDnnConvPrimitive(ConvKind kind, const ConvShape& shape, dnnl::memory::data_type type,
                      const dnnl::memory::desc* filter_order);

  // Operands as of Conv, but for the filter, which is in the library's order.
  Status Run(const void* a, const void* b, void* result, Allocator& allocator) const;

  const dnnl::memory::desc& filter_order() const { return filter().order; }
  // False where the library's order is the op's own.
  bool reorders_filter() const { return filter().reorder != nullptr; }
  // Into the library's order, or out of it where the filter is the result.
  Status ReorderFilter(const void* from, void* to, Allocator& allocator) const {
    return filter().reorder->Run({from, to}, allocator);
  }

 private:
  struct Operand {
    dnnl::memory::desc order;             // the library's
    std::unique_ptr<OneDnnCall> reorder;  // into it, or out of it for the result; null: same order
  };
  const Operand& filter() const { return operands_[filter_]; }

  std::unique_ptr<OneDnnCall> call_;
  Operand operands_[3];  // a, b, result
  int filter_ = 0;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_ONEDNN_CONV_PRIMITIVE_H_
