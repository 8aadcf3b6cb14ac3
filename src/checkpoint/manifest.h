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
  uint32_t format = 2;  // that it was read in

  // Null if no shard has it; `shard` then is its index.
  const SavedVariable* Find(const std::string& variable, size_t* shard) const;
};

// NotFound where there is no manifest; DataLoss where it is damaged, see manifest_text.h; kBadSpec for another format;
// kIo where it cannot be read.
Result<Manifest> ReadManifest(const std::string& directory);
// InvalidArgument, and nothing written, where ReadManifest() would not read it back.
Status WriteManifest(const std::string& directory, const Manifest& manifest);

// index.h5 with a relative external link for every variable.
Status WriteIndex(const std::string& directory, const Manifest& manifest);

// Sizes and crc32c of all shards against the manifest: DataLoss where they differ or a shard is missing or no regular
// file; kIo where one cannot be read.
Status VerifyShards(const std::string& directory, const Manifest& manifest);

void ToProto(const ShardEntry& entry, checkpoint::Shard* shard);
Result<ShardEntry> FromProto(const checkpoint::Shard& shard);

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_MANIFEST_H_
