#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "kernels/device/cpu_kernel.h"
#include "kernels/strings/tensor_text.h"
#include "src/base/file.h"
#include "src/base/log.h"
#include "src/base/terminal.h"
#include "src/storage/file_access.h"

namespace dfrun {
namespace {

// "[1 2 3][4 5 6...]" of inputs 1 and on, with `between` between them.
std::string InputsText(const OpContext& ctx, int64_t summarize, const char* between) {
  std::string text;
  for (int i = 1; i < ctx.num_inputs(); ++i) {
    if (i > 1) text += between;
    text += "[" + FirstElements(ctx.input(i), summarize) + "]";
  }
  return text;
}

class PrintKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit PrintKernel(KernelSetup& setup)
      : message_(setup.attr<std::string>("message")),
        first_n_(setup.attr<int64_t>("first_n")),
        summarize_(setup.attr<int64_t>("summarize")) {}

  Status Compute(OpContext& ctx) {
    ctx.SetOutput(0, ctx.input(0));
    if (first_n_ >= 0 && printed_.fetch_add(1, std::memory_order_relaxed) >= first_n_) return Status();
    const std::string line = message_ + InputsText(ctx, summarize_, "") + "\n";
    WriteText(stderr, line);
    return Status();
  }

 private:
  const std::string message_;
  const int64_t first_n_;
  const int64_t summarize_;
  std::atomic<int64_t> printed_{0};
};

class PrintV2Kernel final : public Kernel {
 public:
  explicit PrintV2Kernel(KernelSetup& setup)
      : stream_(setup.attr<std::string>("output_stream")), end_(setup.attr<std::string>("end")) {
    constexpr std::string_view kStreams[] = {"stdout", "stderr", "log(info)", "log(warning)", "log(error)"};
    const bool known = std::find(std::begin(kStreams), std::end(kStreams), stream_) != std::end(kStreams);
    if (known || stream_.rfind(kFile, 0) == 0) return;
    setup.Fail(InvalidArgument("unknown output_stream '", stream_,
                               "': it is stdout, stderr, log(info), log(warning), log(error) or file://PATH"));
  }

  Status Compute(OpContext& ctx) {
    if (ctx.input(0).shape().rank() != 0) {
      return InvalidArgument("PrintV2 prints one string, but its input has shape ", ctx.input(0).shape());
    }
    const std::string text = ctx.input(0).scalar<std::string>() + end_;
    if (stream_ == "log(info)") {
      DF_LOG(kInfo) << text;
    } else if (stream_ == "log(warning)") {
      DF_LOG(kWarning) << text;
    } else if (stream_ == "log(error)") {
      DF_LOG(kError) << text;
    } else if (stream_.rfind(kFile, 0) == 0) {
      DF_ASSIGN(const std::string path, FileAccess::Of(ctx.device())->ForAppending(stream_.substr(kFile.size())));
      DF_ASSIGN(const FileDescriptor file, FileDescriptor::OpenForAppending(path));
      return file.Append(text);
    } else {
      std::FILE* const out = stream_ == "stdout" ? stdout : stderr;
      WriteText(out, text);
      std::fflush(out);
    }
    return Status();
  }

 private:
  static constexpr std::string_view kFile = "file://";

  const std::string stream_;
  const std::string end_;
};

class AssertKernel final : public Kernel {
 public:
  explicit AssertKernel(KernelSetup& setup) : summarize_(setup.attr<int64_t>("summarize")) {}

  Status Compute(OpContext& ctx) {
    if (ctx.input(0).shape().rank() != 0) {
      return InvalidArgument("the condition must be a scalar, but has shape ", ctx.input(0).shape());
    }
    if (ctx.input(0).scalar<bool>()) return Status();
    return InvalidArgument("assertion failed: ", InputsText(ctx, summarize_, " "));
  }

 private:
  const int64_t summarize_;
};

class AbortKernel final : public Kernel {
 public:
  explicit AbortKernel(KernelSetup& setup)
      : message_(setup.attr<std::string>("error_msg")), exits_(setup.attr<bool>("exit_without_error")) {}

  Status Compute(OpContext& ctx) {
    if (exits_) std::_Exit(0);
    WriteText(stderr, StrCat("the node ", ctx.node().name, " aborts this process: ", message_, "\n"));
    std::abort();
  }

 private:
  const std::string message_;
  const bool exits_;
};

CPU_KERNEL_ANY("Print", PrintKernel);
CPU_KERNEL_ANY("PrintV2", PrintV2Kernel);
CPU_KERNEL_ANY("Assert", AssertKernel);
CPU_KERNEL_ANY("Abort", AbortKernel);

}  // namespace
}  // namespace dfrun
