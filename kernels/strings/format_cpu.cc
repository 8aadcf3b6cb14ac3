#include "kernels/device/cpu_kernel.h"
#include "kernels/strings/tensor_text.h"

namespace dfrun {
namespace {

class StringFormatKernel final : public Kernel {
 public:
  explicit StringFormatKernel(KernelSetup& setup) : summarize_(setup.attr<int64_t>("summarize")) {
    const auto text = setup.attr<std::string>("template");
    const auto placeholder = setup.attr<std::string>("placeholder");
    size_t at = 0;
    for (size_t next = Find(text, placeholder, 0); next != std::string::npos; next = Find(text, placeholder, at)) {
      pieces_.push_back(text.substr(at, next - at));
      at = next + placeholder.size();
    }
    pieces_.push_back(text.substr(at));
    if (pieces_.size() != setup.node().inputs.size() + 1) {
      setup.Fail(InvalidArgument("the template '", text, "' has ", pieces_.size() - 1, " placeholders for ",
                                 setup.node().inputs.size(), " inputs"));
    }
  }

  Status Compute(OpContext& ctx) {
    Tensor* output = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(), &output));
    std::string text = pieces_[0];
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      text += ElementsAtEnds(ctx.input(i), summarize_) + pieces_[static_cast<size_t>(i) + 1];
    }
    *output->data<std::string>() = std::move(text);
    return Status();
  }

 private:
  static size_t Find(const std::string& text, const std::string& placeholder, size_t from) {
    return placeholder.empty() ? std::string::npos : text.find(placeholder, from);
  }

  const int64_t summarize_;
  std::vector<std::string> pieces_;  // between the placeholders
};

CPU_KERNEL_ANY("StringFormat", StringFormatKernel);

}  // namespace
}  // namespace dfrun
