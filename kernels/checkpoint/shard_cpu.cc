#include <algorithm>
#include <map>

#include "kernels/checkpoint/string_inputs.h"
#include "kernels/device/cpu_kernel.h"
#include "src/checkpoint/manifest_file.h"
#include "src/checkpoint/removable.h"
#include "src/checkpoint/shard.h"
#include "src/storage/file_access.h"
#include "src/storage/hdf5_helpers.h"
#include "src/storage/hdf5_library.h"

namespace dfrun {
namespace {

class SaveShard final : public Kernel {
 public:
  explicit SaveShard(KernelSetup& setup)
      : names_(setup.attr<std::vector<std::string>>("names")),
        file_(setup.attr<std::string>("file")),
        texts_(setup.attr<std::string>("texts")) {
    if (names_.size() + 1 != setup.node().inputs.size()) {
      setup.Fail(InvalidArgument("attr 'names' has ", names_.size(), " entries for ", setup.node().inputs.size() - 1,
                                 " values"));
    }
    if (!IsShardName(file_))
      setup.Fail(InvalidArgument("attr 'file' is '", file_, "', but shards are 'shard-0.h5' ..."));
    if (!texts_.empty() && !IsFurtherFileName(texts_)) {
      setup.Fail(InvalidArgument("attr 'texts' is '", texts_, "', but further files are 'tf.data-00001-of-00002' ..."));
    }
    if (const Status loaded = LoadHdf5().status(); !loaded.ok()) setup.Fail(loaded);
  }

  Status Compute(OpContext& ctx) {
    std::vector<NamedTensor> variables;
    for (size_t i = 0; i < names_.size(); ++i) variables.push_back({names_[i], ctx.input(static_cast<int>(i) + 1)});
    DF_ASSIGN(const std::string named, StringScalar(ctx, 0));
    const RefPtr<FileAccess> access = FileAccess::Of(ctx.device());
    DF_ASSIGN(const std::string directory, access->ForShard(named, file_));
    if (!texts_.empty()) DF_TRY(access->ForShard(named, texts_).status());
    DF_ASSIGN(const ShardEntry entry, WriteShard(directory, file_, variables, texts_));
    Tensor* out = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(), &out));
    *out->data<std::string>() = entry.Serialize();
    return Status();
  }

  bool IsExpensive() const override { return true; }

 private:
  const std::vector<std::string> names_;
  const std::string file_;
  const std::string texts_;
};

class RestoreShard final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;

  explicit RestoreShard(KernelSetup& setup)
      : names_(setup.attr<std::vector<std::string>>("names")),
        dtypes_(setup.attr<std::vector<DType>>("dtypes")),
        shapes_(setup.attr<std::vector<PartialShape>>("shapes")) {
    if (names_.size() != dtypes_.size() || names_.size() != shapes_.size()) {
      setup.Fail(InvalidArgument("attrs 'names', 'dtypes' and 'shapes' differ in length"));
    }
  }

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const std::string named, StringScalar(ctx, 0));
    DF_ASSIGN(const std::string directory, FileAccess::Of(ctx.device())->ForReading(named));
    DF_ASSIGN(const Manifest manifest, ReadManifest(directory));
    const auto left_out = ctx.input(1).values<std::string>();
    std::map<size_t, Members> by_shard;
    for (size_t i = 0; i < names_.size(); ++i) {
      if (std::find(left_out.begin(), left_out.end(), names_[i]) != left_out.end()) {
        ctx.SetOutput(static_cast<int>(i), Tensor(dtypes_[i], Shape({0})));
        continue;
      }
      size_t shard = 0;
      const SavedVariable* const saved = manifest.Find(names_[i], &shard);
      if (saved == nullptr) return NotFound("the checkpoint ", directory, " has no variable '", names_[i], "'");
      DF_TRY(CheckFits(i, *saved, directory));
      by_shard[shard].outputs.push_back(static_cast<int>(i));
      by_shard[shard].wanted.push_back(*saved);
    }
    const auto helpers = std::make_shared<Hdf5Helpers>();
    for (const auto& [shard, members] : by_shard) {
      DF_ASSIGN(std::vector<Tensor> values,
                ReadShard(directory + "/" + manifest.shards[shard].file, members.wanted, ctx.allocator(), helpers));
      for (size_t k = 0; k < values.size(); ++k) ctx.SetOutput(members.outputs[k], std::move(values[k]));
    }
    return Status();
  }

  bool IsExpensive() const override { return true; }

 private:
  // The tensors to read from one shard.
  struct Members {
    std::vector<int> outputs;
    std::vector<SavedVariable> wanted;
  };

  Status CheckFits(size_t i, const SavedVariable& saved, const std::string& directory) const {
    if (saved.dtype == dtypes_[i] && shapes_[i].IsCompatibleWith(saved.shape)) return Status();
    return Error(Code::kDataLoss, "variable '", saved.name, "' is ", saved.dtype, saved.shape, " in ", directory,
                 ", but ", dtypes_[i], shapes_[i], " was expected");
  }

  const std::vector<std::string> names_;
  const std::vector<DType> dtypes_;
  const std::vector<PartialShape> shapes_;
};

CPU_KERNEL_ANY("SaveShard", SaveShard);
CPU_KERNEL_ANY("RestoreShard", RestoreShard);

}  // namespace
}  // namespace dfrun
