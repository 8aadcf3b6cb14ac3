#include <algorithm>

#include "kernels/device/cpu_kernel.h"
#include "src/framework/values/finite.h"

namespace dfrun {
namespace {

// The least number of a value that is not finite.
class FirstNotFinite : public Kernel {
 public:
  explicit FirstNotFinite(KernelSetup& setup) {
    const auto numbers = setup.attr<std::vector<int64_t>>("numbers");
    const size_t count = setup.node().inputs.size();
    if (!numbers.empty() && numbers.size() != count) {
      setup.Fail(InvalidArgument("attr 'numbers' has ", numbers.size(), " entries for ", count, " values"));
      return;
    }
    for (size_t i = 0; i < count; ++i) {
      numbers_.push_back(static_cast<int32_t>(numbers.empty() ? static_cast<int64_t>(i) + 1 : numbers[i]));
      elements_ += std::max<int64_t>(setup.input_shape(static_cast<int>(i)).num_elements(), 0);
    }
  }

  Status Compute(OpContext& ctx) {
    int32_t found = 0;
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      const int32_t here = FoundIn(ctx.input(i), numbers_[static_cast<size_t>(i)], ctx.pool());
      if (here != 0 && (found == 0 || here < found)) found = here;
    }
    Tensor* out = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(), &out));
    *out->data<int32_t>() = found;
    return Status();
  }

  bool IsExpensive() const override { return elements_ >= kExpensiveElements; }

 private:
  static constexpr int64_t kExpensiveElements = int64_t{1} << 15;

  static int32_t FoundIn(const Tensor& value, int32_t number, ThreadPool& pool) {
    if (value.dtype() == DType::kInt32) return value.scalar<int32_t>();
    return AllFinite(value, pool) ? 0 : number;
  }

  std::vector<int32_t> numbers_;  // by input
  int64_t elements_ = 0;          // elements of known shape
};

class UpdateGate final : public FirstNotFinite {
 public:
  static constexpr std::string_view kHostOutputs[] = {"found"};  // the executor reads it
  using FirstNotFinite::FirstNotFinite;
  bool IsExpensive() const override { return false; }  // the executor reads its result right after it
};

class NotFiniteValues final : public Kernel {
 public:
  explicit NotFiniteValues(KernelSetup& setup) : names_(setup.attr<std::vector<std::string>>("names")) {
    if (names_.size() == setup.node().inputs.size()) return;
    setup.Fail(
        InvalidArgument("attr 'names' has ", names_.size(), " entries for ", setup.node().inputs.size(), " values"));
  }

  Status Compute(OpContext& ctx) {
    Tensor* out = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(), &out));
    int more = 0;
    std::string report;
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      if (AllFinite(ctx.input(i))) continue;
      if (report.empty()) {
        report = StrCat("variable '", names_[static_cast<size_t>(i)], "' on ", ctx.device().full_name(), " holds ",
                        DescribeNotFinite(ctx.input(i)));
      } else {
        ++more;
      }
    }
    if (more > 0) report = StrCat(report, "; so do ", more, " more variables there");
    *out->data<std::string>() = std::move(report);
    return Status();
  }

  bool IsExpensive() const override { return true; }

 private:
  const std::vector<std::string> names_;
};

CPU_KERNEL_ANY("_FirstNotFinite", FirstNotFinite);
CPU_KERNEL_ANY("_UpdateGate", UpdateGate);
CPU_KERNEL_ANY("_NotFiniteValues", NotFiniteValues);

}  // namespace
}  // namespace dfrun
