#include "kernels/device/cpu_kernel.h"
#include "kernels/strings/letters_attr.h"
#include "kernels/strings/token_counter.h"

namespace dfrun {
namespace {

class TokenCountsKernel final : public Kernel {
 public:
  explicit TokenCountsKernel(KernelSetup& setup) : letters_(LettersOf(setup)) {}

  Status Compute(OpContext& ctx) {
    TokenCounter counter(letters_);
    for (const std::string& text : ctx.input(0).values<std::string>()) counter.Add(text);
    const std::vector<TokenCounter::Token>& found = counter.tokens();
    const Shape shape({static_cast<int64_t>(found.size())});
    Tensor* tokens = nullptr;
    Tensor* counts = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &tokens));
    DF_TRY(ctx.AllocateOutput(1, shape, &counts));
    for (size_t i = 0; i < found.size(); ++i) {
      tokens->data<std::string>()[i] = found[i].text;
      counts->data<int64_t>()[i] = found[i].count;
    }
    return Status();
  }
  bool IsExpensive() const override { return true; }

 private:
  const Letters letters_;
};

CPU_KERNEL_ANY("TokenCounts", TokenCountsKernel);

}  // namespace
}  // namespace dfrun
