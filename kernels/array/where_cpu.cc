#include "src/framework/element_types.h"
#include "src/framework/kernel.h"

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
      int64_t* to = y->data<int64_t>();
      for (int64_t i = 0; i < x.num_elements(); ++i) {
        if (!IsSet(x.data<T>()[i])) continue;
        int64_t rest = i;
        for (int d = rank - 1; d >= 0; --d) {
          to[d] = rest % x.shape().dim(d);
          rest /= x.shape().dim(d);
        }
        to += rank;
      }
      return Status();
    }

   private:
    static bool IsSet(const T& v) { return v != T(); }
  };
};

CPU_KERNEL("Where", Where, DF_NUMBERS, bool);

}  // namespace
}  // namespace dfrun
