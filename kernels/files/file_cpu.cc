#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <limits>

#include "kernels/device/cpu_kernel.h"
#include "kernels/files/matching_paths.h"
#include "src/base/file.h"
#include "src/storage/file_access.h"

namespace dfrun {
namespace {

Status CheckScalars(const OpContext& ctx) {
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    if (ctx.input(i).shape().rank() == 0) continue;
    return InvalidArgument(ctx.node().op->name, ": input ", i, " must be a scalar, but has shape ",
                           ctx.input(i).shape());
  }
  return Status();
}

class ReadFileKernel final : public Kernel {
 public:
  explicit ReadFileKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_TRY(CheckScalars(ctx));
    Tensor* contents = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(), &contents));
    DF_ASSIGN(const FileDescriptor file,
              FileAccess::Of(ctx.device())->OpenForReading(ctx.input(0).scalar<std::string>()));
    DF_ASSIGN(*contents->data<std::string>(), ReadAll(file, std::numeric_limits<int64_t>::max()));
    return Status();
  }
  bool IsExpensive() const override { return true; }
};

// A file that its owner has made read-only stays, though a rename could replace it.
Status CheckMayWrite(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  if (name.empty() || name == "." || name == "..") return InvalidArgument("'", path, "' is not the name of a file");
  if (::access(path.c_str(), W_OK) == 0 || errno == ENOENT || errno == ENOTDIR) return CheckReplaceable(path);
  return ErrnoError("cannot write", path);
}

class WriteFileKernel final : public Kernel {
 public:
  explicit WriteFileKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_TRY(CheckScalars(ctx));
    DF_ASSIGN(const std::string path, FileAccess::Of(ctx.device())->ForWriting(ctx.input(0).scalar<std::string>()));
    DF_TRY(CheckMayWrite(path));
    DF_TRY(MakeDirectories(ParentDirectory(path)));
    return WriteFileAtomically(path, ctx.input(1).scalar<std::string>());
  }
  bool IsExpensive() const override { return true; }
};

class MatchingFilesKernel final : public Kernel {
 public:
  explicit MatchingFilesKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const Tensor& patterns = ctx.input(0);
    if (patterns.shape().rank() > 1) {
      return InvalidArgument("patterns must be a scalar or a vector, but have shape ", patterns.shape());
    }
    const RefPtr<FileAccess> access = FileAccess::Of(ctx.device());
    std::vector<std::string> paths;
    for (const std::string& pattern : patterns.values<std::string>()) {
      DF_ASSIGN(std::vector<std::string> found, MatchingPaths(pattern, *access));
      std::move(found.begin(), found.end(), std::back_inserter(paths));
    }
    std::sort(paths.begin(), paths.end());
    Tensor* found = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape({static_cast<int64_t>(paths.size())}), &found));
    std::move(paths.begin(), paths.end(), found->data<std::string>());
    return Status();
  }
  bool IsExpensive() const override { return true; }
};

CPU_KERNEL_ANY("ReadFile", ReadFileKernel);
CPU_KERNEL_ANY("WriteFile", WriteFileKernel);
CPU_KERNEL_ANY("MatchingFiles", MatchingFilesKernel);

}  // namespace
}  // namespace dfrun
