#include <map>

#include "kernels/checkpoint/string_inputs.h"
#include "kernels/device/cpu_kernel.h"
#include "src/checkpoint/manifest.h"
#include "src/checkpoint/removable.h"
#include "src/checkpoint/shard.h"
#include "src/framework/file_access.h"
#include "src/framework/hdf5_library.h"

namespace dfrun {
namespace {

class SaveShard final : public Kernel {
 public:
  explicit SaveShard(KernelSetup& setup)
      : names_(setup.attr<std::vector<std::string>>("names")), file_(setup.attr<std::string>("file")) {
    if (names_.size() + 1 != setup.node().inputs.size()) {
      setup.Fail(InvalidArgument("attr 'names' has ", names_.size(), " entries for ", setup.node().inputs.size() - 1,
                                 " values"));
    }
    if (!IsShardName(file_))
      setup.Fail(InvalidArgument("attr 'file' is '", file_, "', but shards are 'shard-0.h5' ..."));
    if (const Status loaded = LoadHdf5().status(); !loaded.ok()) setup.Fail(loaded);
  }

  Status Compute(OpContext& ctx) {
    std::vector<NamedTensor> variables;
    for (size_t i = 0; i < names_.size(); ++i) variables.push_back({names_[i], ctx.input(static_cast<int>(i) + 1)});
    DF_ASSIGN(const std::string named, StringScalar(ctx, 0));
    DF_ASSIGN(const std::string directory, FileAccess::Of(ctx.device())->ForReading(named));
    DF_ASSIGN(const ShardEntry entry, WriteShard(directory, file_, variables));
    Tensor* out = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(), &out));
    *out->data<std::string>() = entry.Serialize();
    return Status();
  }

  bool IsExpensive() const override { return true; }

 private:
  const std::vector<std::string> names_;
  const std::string file_;
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
    std::map<size_t, std::vector<size_t>> by_shard;
    for (size_t i = 0; i < names_.size(); ++i) {
      size_t shard = 0;
      if (manifest.Find(names_[i], &shard) == nullptr) {
        return NotFound("the checkpoint ", directory, " has no variable '", names_[i], "'");
      }
      by_shard[shard].push_back(i);
    }
    for (const auto& [shard, members] : by_shard) {
      std::vector<SavedVariable> wanted;
      for (size_t i : members) {
        DF_ASSIGN(Shape shape, shapes_[i].ToShape());
        wanted.push_back({names_[i], dtypes_[i], std::move(shape)});
      }
      DF_ASSIGN(std::vector<Tensor> values,
                ReadShard(directory + "/" + manifest.shards[shard].file, wanted, ctx.allocator()));
      for (size_t k = 0; k < members.size(); ++k) ctx.SetOutput(static_cast<int>(members[k]), std::move(values[k]));
    }
    return Status();
  }

  bool IsExpensive() const override { return true; }

 private:
  const std::vector<std::string> names_;
  const std::vector<DType> dtypes_;
  const std::vector<PartialShape> shapes_;
};

CPU_KERNEL_ANY("SaveShard", SaveShard);
CPU_KERNEL_ANY("RestoreShard", RestoreShard);

}  // namespace
}  // namespace dfrun
