#include <re2/re2.h>

#include "kernels/device/cpu_kernel.h"
#include "src/base/mutex.h"

namespace dfrun {
namespace {

// Compiles a pattern. InvalidArgument for one that RE2 refuses.
Result<std::shared_ptr<const RE2>> Compile(const std::string& pattern) {
  auto regex = std::make_shared<const RE2>(pattern, RE2::Quiet);
  if (regex->ok()) return regex;
  return InvalidArgument("the pattern '", pattern, "' is no regular expression: ", regex->error());
}

// The regular expression of a node: fixed by an attr, or input 1, of which the last one is kept.
class Pattern {
 public:
  explicit Pattern(KernelSetup& setup) {
    if (setup.node().inputs.size() > 1) return;
    Result<std::shared_ptr<const RE2>> compiled = Compile(setup.attr<std::string>("pattern"));
    if (!compiled.ok()) {
      setup.Fail(compiled.status());
      return;
    }
    MutexLock lock(mu_);
    last_ = *compiled;
  }

  Result<std::shared_ptr<const RE2>> Get(const OpContext& ctx) {
    MutexLock lock(mu_);
    if (ctx.num_inputs() == 1) return last_;
    for (int i = 1; i < ctx.num_inputs(); ++i) {
      if (ctx.input(i).shape().rank() != 0) {
        return InvalidArgument("pattern and rewrite must be scalars, but input ", i, " has shape ",
                               ctx.input(i).shape());
      }
    }
    const std::string& pattern = ctx.input(1).scalar<std::string>();
    if (last_ == nullptr || last_->pattern() != pattern) {
      DF_ASSIGN(last_, Compile(pattern));
    }
    return last_;
  }

 private:
  Mutex mu_;
  std::shared_ptr<const RE2> last_ GUARDED_BY(mu_);
};

// The length of a rewrite before its first backslash that neither a digit nor a backslash follows.
size_t ValidLength(const std::string& rewrite) {
  for (size_t i = 0; i < rewrite.size(); ++i) {
    if (rewrite[i] != '\\') continue;
    if (i + 1 == rewrite.size() || (rewrite[i + 1] != '\\' && (rewrite[i + 1] < '0' || rewrite[i + 1] > '9'))) return i;
    ++i;
  }
  return rewrite.size();
}

class RegexReplaceKernel final : public Kernel {
 public:
  explicit RegexReplaceKernel(KernelSetup& setup) : pattern_(setup), global_(setup.attr<bool>("replace_global")) {
    if (setup.node().inputs.size() == 1) rewrite_ = setup.attr<std::string>("rewrite");
  }

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const std::shared_ptr<const RE2> regex, pattern_.Get(ctx));
    const std::string& whole = ctx.num_inputs() > 2 ? ctx.input(2).scalar<std::string>() : rewrite_;
    const std::string rewrite = whole.substr(0, ValidLength(whole));
    // TensorFlow's rules hold for bad rewrites: one that names an absent group replaces nothing; one with a bad escape
    // replaces all matches by the text before the escape, but does not replace a single match.
    const bool names_groups = RE2::MaxSubmatch(whole) <= regex->NumberOfCapturingGroups();
    const bool fits = names_groups && (global_ || rewrite.size() == whole.size());
    const Tensor& input = ctx.input(0);
    Tensor* output = nullptr;
    DF_TRY(ctx.AllocateOutput(0, input.shape(), &output));
    for (int64_t i = 0; i < input.num_elements(); ++i) {
      std::string& text = output->data<std::string>()[i];
      text = input.data<std::string>()[i];
      if (!fits) continue;
      if (global_) {
        RE2::GlobalReplace(&text, *regex, rewrite);
      } else {
        RE2::Replace(&text, *regex, rewrite);
      }
    }
    return Status();
  }

 private:
  Pattern pattern_;
  const bool global_;
  std::string rewrite_;
};

class RegexFullMatchKernel final : public Kernel {
 public:
  explicit RegexFullMatchKernel(KernelSetup& setup) : pattern_(setup) {}

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const std::shared_ptr<const RE2> regex, pattern_.Get(ctx));
    const Tensor& input = ctx.input(0);
    Tensor* output = nullptr;
    DF_TRY(ctx.AllocateOutput(0, input.shape(), &output));
    for (int64_t i = 0; i < input.num_elements(); ++i) {
      output->data<bool>()[i] = RE2::FullMatch(input.data<std::string>()[i], *regex);
    }
    return Status();
  }

 private:
  Pattern pattern_;
};

CPU_KERNEL_ANY("RegexReplace", RegexReplaceKernel);
CPU_KERNEL_ANY("StaticRegexReplace", RegexReplaceKernel);
CPU_KERNEL_ANY("RegexFullMatch", RegexFullMatchKernel);
CPU_KERNEL_ANY("StaticRegexFullMatch", RegexFullMatchKernel);

}  // namespace
}  // namespace dfrun
