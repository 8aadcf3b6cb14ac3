// Checkpoints of dfrun, by their directories.
#include <sys/stat.h>

#include "src/base/text.h"
#include "src/checkpoint/manifest_file.h"
#include "src/checkpoint/weights/weight_source.h"
#include "src/storage/hdf5_helpers.h"

namespace dfrun {
namespace {

class SavedRun final : public WeightSource {
 public:
  SavedRun(std::string directory, Manifest manifest)
      : WeightSource("the checkpoint " + directory),
        directory_(std::move(directory)),
        manifest_(std::move(manifest)),
        helpers_(std::make_shared<Hdf5Helpers>()) {
    for (const ShardEntry& shard : manifest_.shards) {
      for (const SavedVariable& variable : shard.variables) {
        entries_.push_back({.name = variable.name, .dtype = variable.dtype, .shape = variable.shape});
        places_.push_back({&shard, &variable});
      }
    }
  }

  // Shards are compared with their checksums at the first value that is read.
  Result<Tensor> Read(size_t entry) override {
    if (!is_verified_) DF_TRY(VerifyFiles(directory_, manifest_));
    is_verified_ = true;
    const auto& [shard, variable] = places_[entry];
    DF_ASSIGN(std::vector<Tensor> values,
              ReadShard(StrCat(directory_, "/", shard->file), {variable, 1}, SystemAllocator(), helpers_));
    return std::move(values[0]);
  }

 private:
  struct Place {
    const ShardEntry* shard;
    const SavedVariable* variable;
  };

  const std::string directory_;
  const Manifest manifest_;
  const std::shared_ptr<Hdf5Helpers> helpers_;
  std::vector<Place> places_;  // by entry
  bool is_verified_ = false;
};

bool IsSavedRun(const FileHead& file) {
  struct stat info = {};
  return file.is_directory && ::stat(StrCat(file.path, "/manifest.json").c_str(), &info) == 0;
}

Result<std::unique_ptr<WeightSource>> OpenSavedRun(const std::string& directory) {
  DF_ASSIGN(Manifest manifest, ReadManifest(directory));
  return std::unique_ptr<WeightSource>(std::make_unique<SavedRun>(directory, std::move(manifest)));
}

WEIGHT_FORMAT("checkpoint", {.what = "a checkpoint of dfrun", .recognizes = &IsSavedRun, .open = &OpenSavedRun});

}  // namespace
}  // namespace dfrun
