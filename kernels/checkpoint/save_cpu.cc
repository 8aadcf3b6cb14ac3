#include <unistd.h>

#include "kernels/checkpoint/saved_tensors.h"
#include "kernels/checkpoint/string_inputs.h"
#include "kernels/device/cpu_kernel.h"
#include "src/base/file.h"
#include "src/base/log.h"
#include "src/checkpoint/manifest_file.h"
#include "src/storage/file_access.h"

namespace dfrun {
namespace {

// The path to save at. An op may replace checkpoints that ops saved, in any run. Those that a run saved, and copies of
// them, are the user's.
Result<std::string> SavePath(const std::string& path, const FileAccess& access) {
  DF_ASSIGN(std::string allowed, access.ForSaving(path));
  DF_ASSIGN(const bool may_replace, access.MayReplace(allowed));
  const Result<Manifest> there = may_replace ? NotFound("") : ReadManifest(allowed);
  if (there.ok() && (there->step != 0 || !there->settings.empty())) {
    return Error(Code::kBadSpec, "a graph may not replace ", path, ", which a run saved at step ", there->step,
                 "; give another name, or add --force to let it be replaced");
  }
  DF_TRY(access.NoteSaved(allowed));
  return allowed;
}

// Save, SaveSlices and SaveV2: a path, names, with kSlices which parts, and as many tensors.
template <bool kSlices>
class SaveKernel final : public Kernel {
 public:
  explicit SaveKernel(KernelSetup&) {}

  Status Compute(OpContext& ctx) {
    constexpr int kFirst = kSlices ? 3 : 2;
    const int count = ctx.num_inputs() - kFirst;
    DF_ASSIGN(const std::string path, StringScalar(ctx, 0));
    DF_ASSIGN(const std::vector<std::string> names, StringVector(ctx, 1, count));
    std::vector<std::string> slices(static_cast<size_t>(count));
    if constexpr (kSlices) {
      DF_ASSIGN(slices, StringVector(ctx, 2, count));
    }
    std::vector<TensorToSave> tensors;
    for (int i = 0; i < count; ++i) {
      const auto k = static_cast<size_t>(i);
      tensors.push_back({names[k], slices[k], ctx.input(kFirst + i)});
    }
    DF_ASSIGN(const std::string allowed, SavePath(path, *FileAccess::Of(ctx.device())));
    return SaveTensors(allowed, tensors);
  }
  bool IsExpensive() const override { return true; }
};

class MergeKernel final : public Kernel {
 public:
  explicit MergeKernel(KernelSetup& setup)
      : delete_old_(setup.attr<bool>("delete_old_dirs")), allow_missing_(setup.attr<bool>("allow_missing_files")) {}

  Status Compute(OpContext& ctx) {
    const RefPtr<FileAccess> access = FileAccess::Of(ctx.device());
    DF_ASSIGN(std::vector<std::string> parts, StringVector(ctx, 0));
    for (std::string& part : parts) {
      DF_ASSIGN(part, access->ForReading(part));
    }
    DF_ASSIGN(const std::string named, StringScalar(ctx, 1));
    DF_ASSIGN(const std::string destination, SavePath(named, *access));
    DF_ASSIGN(const std::vector<MergedPart> merged, MergeCheckpoints(parts, destination, allow_missing_));
    for (const MergedPart& part : merged) {
      if (delete_old_) Delete(part, destination, *access);
    }
    return Status();
  }
  bool IsExpensive() const override { return true; }

 private:
  // Deletes the part, unless `destination` has replaced it, and the directory of parts that it leaves empty. The merged
  // checkpoint is committed, so a part that cannot be removed is no error.
  static void Delete(const MergedPart& part, const std::string& destination, const FileAccess& access) {
    const Result<FileId> now = IdOf(part.path);
    if (!now.ok() || !(*now == part.id)) return;
    if (const Status removed = Remove(part, access); !removed.ok()) {
      DF_LOG(kWarning) << "the checkpoint " << destination << " is saved; of a part of it: " << removed.message();
      return;
    }
    const std::string parent = ParentDirectory(part.path);
    if (parent != ParentDirectory(destination)) ::rmdir(parent.c_str());  // fails where it holds anything
  }

  static Status Remove(const MergedPart& part, const FileAccess& access) {
    DF_ASSIGN(const bool may_remove, access.MayRemove(part.path));
    if (may_remove) return RemoveAtomically(part.path, RemovalRule::kWhole, part.id);
    return Error(Code::kBadSpec, part.path, " was there before the job and is not removed");
  }

  const bool delete_old_;
  const bool allow_missing_;
};

CPU_KERNEL_ANY("Save", SaveKernel<false>);
CPU_KERNEL_ANY("SaveSlices", SaveKernel<true>);
CPU_KERNEL_ANY("SaveV2", SaveKernel<true>);
CPU_KERNEL_ANY("MergeV2Checkpoints", MergeKernel);

}  // namespace
}  // namespace dfrun
