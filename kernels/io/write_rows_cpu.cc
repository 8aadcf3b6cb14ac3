// Rows of an array at their offsets in a file that another rank has made. Ranks of other hosts find it by the same path
// on a file system that they share.
#include "kernels/device/cpu_kernel.h"
#include "src/base/file.h"
#include "src/storage/file_access.h"

namespace dfrun {
namespace {

Result<FileDescriptor> OpenToWrite(Device& device, const std::string& path) {
  DF_ASSIGN(const std::string allowed, FileAccess::Of(device)->ForAppending(path));
  Result<FileDescriptor> file = FileDescriptor::OpenForWriting(allowed);
  if (file.status().code() != Code::kNotFound) return file;
  return IoError("there is no ", path,
                 " on this rank's host, which rank 0 has made: the ranks write it together, so it ",
                 "must lie on a file system that all of them share");
}

class WriteRowsKernel final : public Kernel {
 public:
  explicit WriteRowsKernel(KernelSetup& setup)
      : offset_(setup.attr<int64_t>("offset")),
        behind_(setup.attr<int64_t>("behind")),
        total_(setup.attr<int64_t>("total")) {
    Result<FileDescriptor> file = OpenToWrite(setup.device(), setup.attr<std::string>("path"));
    if (file.ok()) {
      file_ = *std::move(file);
    } else {
      setup.Fail(file.status());
    }
  }

  Status Compute(OpContext& ctx) {
    const Tensor& rows = ctx.input(1);
    if (!IsPlain(rows.dtype())) {
      return InvalidArgument("rows of ", rows.dtype(), " have no place of their own in a file");
    }
    const int64_t begin = ctx.input(0).scalar<int64_t>() + behind_;
    const int64_t count = rows.shape()[0];
    if (begin < 0 || count > total_ || begin > total_ - count) {
      return InvalidArgument("rows ", begin, " to ", begin + count, " do not lie in an array of ", total_, " rows");
    }
    if (count > 0) {
      const size_t row_bytes = rows.num_bytes() / static_cast<size_t>(count);
      const uint64_t at = static_cast<uint64_t>(offset_) + static_cast<uint64_t>(begin) * row_bytes;
      DF_TRY(file_.WriteAt(at, rows.raw(), rows.num_bytes()));
    }
    Tensor* written = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(), &written));
    *written->data<int64_t>() = count;
    return Status();
  }
  bool IsExpensive() const override { return true; }

 private:
  const int64_t offset_;
  const int64_t behind_;
  const int64_t total_;
  FileDescriptor file_;
};

class SyncFileKernel final : public Kernel {
 public:
  explicit SyncFileKernel(KernelSetup& setup) : path_(setup.attr<std::string>("path")) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const FileDescriptor file, OpenToWrite(ctx.device(), path_));
    return file.Sync();
  }
  bool IsExpensive() const override { return true; }

 private:
  const std::string path_;
};

CPU_KERNEL_ANY("_WriteRows", WriteRowsKernel);
CPU_KERNEL_ANY("_SyncFile", SyncFileKernel);

}  // namespace
}  // namespace dfrun
