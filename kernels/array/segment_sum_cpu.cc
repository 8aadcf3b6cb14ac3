#include <algorithm>

#include "kernels/array/add_element.h"
#include "kernels/array/int_values.h"
#include "src/framework/kernel.h"

namespace dfrun {
namespace {

struct UnsortedSegmentSum {
  template <class T>
  class Kernel : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup&) {}
    Status Compute(OpContext& ctx) {
      const Tensor& data = ctx.input(0);
      const Shape& ids = ctx.input(1).shape();
      DF_ASSIGN(const int64_t segments, IntScalar(ctx.input(2), "the number of segments"));
      if (segments < 0) return InvalidArgument("the number of segments is ", segments);
      const bool fits = ids.rank() <= data.shape().rank() &&
                        std::equal(ids.dims().begin(), ids.dims().end(), data.shape().dims().begin());
      if (!fits) return InvalidArgument("data ", data.shape(), " does not begin with the shape of segment_ids, ", ids);
      std::vector<int64_t> dims(data.shape().dims().begin() + ids.rank(), data.shape().dims().end());
      int64_t row = 1;
      for (int64_t d : dims) row *= d;
      dims.insert(dims.begin(), segments);
      DF_ASSIGN(const Shape shape, Shape::Create(dims));
      const std::vector<int64_t> segment_of = IntValues(ctx.input(1));
      for (int64_t s : segment_of) {
        if (s >= segments) return InvalidArgument("segment id ", s, " is not below the number of segments, ", segments);
      }
      Tensor* y = nullptr;
      DF_TRY(ctx.AllocateOutput(0, shape, &y));
      std::fill_n(y->data<T>(), shape.num_elements(), T());
      const T* from = data.data<T>();
      for (int64_t s : segment_of) {
        for (int64_t i = 0; i < row && s >= 0; ++i)
          y->data<T>()[s * row + i] = AddElement(y->data<T>()[s * row + i], from[i]);
        from += row;
      }
      return Status();
    }
  };
};

CPU_KERNEL("UnsortedSegmentSum", UnsortedSegmentSum, bfloat16, float16, float, double, uint8_t, uint16_t, uint32_t,
           uint64_t, int8_t, int16_t, int32_t, int64_t, std::complex<float>, std::complex<double>);

}  // namespace
}  // namespace dfrun
