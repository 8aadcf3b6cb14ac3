#include <algorithm>
#include <vector>

#include "kernels/device/cpu_kernel.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

struct Where {
  template <class T>
  class Kernel : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup&) {}
    Status Compute(OpContext& ctx) {
      const Tensor& x = ctx.input(0);
      if (x.shape().rank() == 0) return InvalidArgument("Where takes a tensor of rank 1 or more, not a scalar");
      int64_t count = 0;
      for (const T& v : x.values<T>()) count += IsSet(v) ? 1 : 0;
      const int rank = x.shape().rank();
      Tensor* y = nullptr;
      DF_TRY(ctx.AllocateOutput(0, Shape({count, rank}), &y));
      WriteCoordinates(x, y->data<int64_t>());
      return Status();
    }

   private:
    // Row by row of the last dimension, the coordinates of whose row stand for all of it.
    static void WriteCoordinates(const Tensor& x, int64_t* to) {
      const int rank = x.shape().rank();
      const int64_t row_size = x.shape().dim(rank - 1);
      std::vector<int64_t> coordinates(static_cast<size_t>(rank), 0);
      const T* row = x.data<T>();
      for (int64_t left = x.num_elements(); left > 0; left -= row_size, row += row_size) {
        for (int64_t i = 0; i < row_size; ++i) {
          if (!IsSet(row[i])) continue;
          coordinates.back() = i;
          to = std::copy(coordinates.begin(), coordinates.end(), to);
        }
        for (int d = rank - 2; d >= 0 && ++coordinates[static_cast<size_t>(d)] == x.shape().dim(d); --d) {
          coordinates[static_cast<size_t>(d)] = 0;
        }
      }
    }
    static bool IsSet(const T& v) { return v != T(); }
  };
};

CPU_KERNEL("Where", Where, DF_NUMBERS, bool);

}  // namespace
}  // namespace dfrun
