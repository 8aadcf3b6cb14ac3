// The manifest of a checkpoint: which shards it has and what is in them. The format is in FORMAT.md.
#ifndef DFRUN_SRC_CHECKPOINT_MANIFEST_H_
#define DFRUN_SRC_CHECKPOINT_MANIFEST_H_

#include <string>
#include <vector>

#include "src/checkpoint/manifest.pb.h"
#include "src/checkpoint/shard.h"

namespace dfrun {

// What the files of an input held, whose position is among the variables.
struct SavedInput {
  struct File {
    std::string path;
    int64_t samples = 0;
  };
  std::string name;
  int64_t samples = 0;
  std::vector<File> files;  // in the order of the samples; empty where they are many
};

struct Manifest {
  int64_t step = 0;
  std::vector<ShardEntry> shards;
  std::vector<SavedInput> inputs = {};

  // Null if no shard has it; `shard` then is its index.
  const SavedVariable* Find(const std::string& variable, size_t* shard) const;
};

// Both check what they are given: DataLoss for another format, odd file names, unknown dtypes or impossible shapes.
Result<Manifest> ReadManifest(const std::string& directory);
Status WriteManifest(const std::string& directory, const Manifest& manifest);

// index.h5 with a relative external link for every variable.
Status WriteIndex(const std::string& directory, const Manifest& manifest);

// Sizes and crc32c of all shards against the manifest.
Status VerifyShards(const std::string& directory, const Manifest& manifest);

void ToProto(const ShardEntry& entry, checkpoint::Shard* shard);
Result<ShardEntry> FromProto(const checkpoint::Shard& shard);

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_MANIFEST_H_
