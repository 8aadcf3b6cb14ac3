#include "kernels/device/cpu_kernel.h"
#include "src/framework/finite.h"

namespace dfrun {
namespace {

class UpdateGate final : public Kernel {
 public:
  static constexpr std::string_view kHostOutputs[] = {"finite"};  // the executor reads it
  explicit UpdateGate(KernelSetup&) {}

  Status Compute(OpContext& ctx) {
    bool finite = true;
    for (int i = 0; i < ctx.num_inputs(); ++i) finite = finite && AllFinite(ctx.input(i));
    Tensor* out = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(), &out));
    *out->data<bool>() = finite;
    return Status();
  }
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

CPU_KERNEL_ANY("_UpdateGate", UpdateGate);
CPU_KERNEL_ANY("_NotFiniteValues", NotFiniteValues);

}  // namespace
}  // namespace dfrun
