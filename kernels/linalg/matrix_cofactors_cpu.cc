#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/device/cpu_kernel.h"
#include "kernels/linalg/cofactors.h"
#include "kernels/linalg/matrix_batch.h"
#include "src/framework/kernel/kernel_of.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

struct TeamOfOne {
  template <class F>
  static void For(int64_t begin, int64_t end, const F& f) {
    for (int64_t i = begin; i < end; ++i) f(i);
  }
  template <class F>
  static void Ranges(int64_t end, const F& f) {
    f(int64_t{0}, end);
  }
  static MatrixEntry Largest(MatrixEntry entry) { return entry; }
  static void Barrier() {}
  static bool IsFirst() { return true; }
};

template <class T>
class MatrixCofactorsKernel final : public Kernel {
 public:
  explicit MatrixCofactorsKernel(KernelSetup&) {}

  Status Compute(OpContext& ctx) {
    using C = WideType<T>;
    const auto work = [](int64_t n) { return 2 * std::pow(static_cast<double>(n), 3); };
    return MapSquareMatrices<T>(ctx, work, [](const C* from, int64_t n, C* to) {
      std::vector<C> a(from, from + n * n);
      std::vector<C> scratch(a.size());
      std::vector<int64_t> columns(static_cast<size_t>(n));
      Cofactors<TeamOfOne, C>{a.data(), scratch.data(), columns.data(), to, n}.Run();
      return Status();
    });
  }
  bool IsExpensive() const override { return true; }
};

CPU_KERNEL("MatrixCofactors", KernelOf<MatrixCofactorsKernel>, float, double, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
