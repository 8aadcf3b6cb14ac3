// One oneDNN convolution: of a fixed number of images, with every operand in the order that suits the library. Only
// where DFRUN_ONEDNN is defined.
#ifndef DFRUN_KERNELS_NN_CONV_ONEDNN_CONV_PRIMITIVE_H_
#define DFRUN_KERNELS_NN_CONV_ONEDNN_CONV_PRIMITIVE_H_

#include <memory>

#include "kernels/device/onednn_call.h"
#include "kernels/nn/conv/conv.h"
#include "kernels/nn/conv/filter_reorder.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

// Filters are in the library's order: reordering one takes 0.2 to 4 us, and saves half to nine tenths of the time.
// Images with channels last stay as they are; with channels first, where they cost the library 2 to 5 times as long,
// they are reordered on the way.
// Thread safety: const methods from any thread.
class OneDnnConvPrimitive {
 public:
  // The library counts in int: sizes and steps beyond a bound are not its business.
  static bool Has(const ConvShape& shape);

  // `filter_order`: the order of the filter in the library, or null for any. `flipped`: of kForward and float32, the
  // op's filter is that of the convolution whose gradient by its input this is, of one group. May throw dnnl::error.
  OneDnnConvPrimitive(ConvKind kind, const ConvShape& shape, dnnl::memory::data_type type,
                      const dnnl::memory::desc* filter_order, bool flipped = false);

  // Operands as of Conv, but for the filter, which is in the library's order.
  Status Run(const void* a, const void* b, void* result, Allocator& allocator) const;

  const dnnl::memory::desc& filter_order() const { return filter().order; }
  // False where the library's order is the op's own.
  bool reorders_filter() const { return flipped_ || filter().reorder != nullptr; }
  // The filter in the library's order; not initialised where that is its own.
  Result<Tensor> Ordered(const void* filter, ThreadPool& pool, Allocator& allocator) const;
  // Space for one; not initialised where none is wanted.
  Result<Tensor> FilterSpace(Allocator& allocator) const;
  // Into the library's order, or out of it where the filter is the result.
  Status ReorderFilter(const void* from, void* to, ThreadPool& pool, Allocator& allocator) const;

 private:
  struct Operand {
    dnnl::memory::desc order;             // the library's
    std::unique_ptr<OneDnnCall> reorder;  // into it, or out of it for the result; null: same order
  };
  // The filter's reorder is of so many parts.
  struct Parts {
    int64_t count = 1;
    int64_t from_bytes = 0;  // from a part to the next
    int64_t to_bytes = 0;
  };
  const Operand& filter() const { return operands_[filter_]; }
  Status ReorderByLibrary(const void* from, void* to, ThreadPool& pool, Allocator& allocator) const;
  Status Flip(const FilterView& from, float* to, ThreadPool& pool, Allocator& allocator) const;
  void SplitReorder(const dnnl::memory::desc& from, const dnnl::memory::desc& to);

  const ConvShape s_;
  const bool flipped_;
  std::unique_ptr<OneDnnCall> call_;
  Operand operands_[3];  // a, b, result
  // True if the filter's order in the library is that of PackFilterTiles() or PackFilterPanels().
  bool is_tiled_ = false;
  int64_t panel_width_ = 0;
  Parts parts_;
  int filter_ = 0;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_CONV_ONEDNN_CONV_PRIMITIVE_H_
