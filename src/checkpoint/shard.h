// Writing and reading one shard of a checkpoint. The format is in FORMAT.md.
#ifndef DFRUN_SRC_CHECKPOINT_SHARD_H_
#define DFRUN_SRC_CHECKPOINT_SHARD_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/framework/values/tensor.h"

namespace dfrun {

class Hdf5Helpers;  // src/storage/hdf5_helpers.h

struct NamedTensor {
  std::string name;  // the variable's, without a port
  Tensor value;
};

struct SavedVariable {
  std::string name;
  DType dtype = DType::kInvalid;
  Shape shape;
  // FORMAT.md describes these. Checkpoints of earlier programs have none of them.
  std::optional<uint32_t> crc32c = {};
  std::optional<uint64_t> offset = {};  // bytes from the shard's beginning; of plain dtypes alone
  std::optional<uint64_t> fingerprint = {};
};

// A file beside a shard that has its strings in TensorFlow's form.
struct TextsFile {
  std::string file;
  uint64_t bytes = 0;
  uint32_t crc32c = 0;
  std::vector<uint64_t> sizes = {};  // bytes of each of the shard's variables of strings, one behind the other
};

// The manifest's entry of a shard.
struct ShardEntry {
  std::string file;
  uint64_t bytes = 0;
  uint32_t crc32c = 0;
  std::vector<SavedVariable> variables = {};
  std::optional<TextsFile> texts = {};  // in the report of the task that wrote the shard alone

  // Bytes for the message from the writing task to rank 0.
  std::string Serialize() const;
  static Result<ShardEntry> Parse(const std::string& bytes);
};

// Writes directory/file and syncs it. The directory must exist; kIo if the file does. `texts`: the name of the file
// beside it that gets the strings in TensorFlow's form, likewise; empty: none.
Result<ShardEntry> WriteShard(const std::string& directory, const std::string& file,
                              std::span<const NamedTensor> variables, const std::string& texts = "");

// Reads variables of one shard whose digest has been checked; each must have the dtype and shape that is asked for, and
// the crc32c, the offset and the fingerprint where `wanted` has them. `wanted` names them; values are returned in the same order. `helpers`
// look into the file, and shards may share them; null: its own.
Result<std::vector<Tensor>> ReadShard(const std::string& path, std::span<const SavedVariable> wanted,
                                      Allocator& allocator, const std::shared_ptr<Hdf5Helpers>& helpers = nullptr);

// Whether one shard holds these variables, with their dtypes, shapes and offsets: DataLoss where it does not. Reads no
// values.
Status CheckShard(const std::string& path, std::span<const SavedVariable> variables,
                  const std::shared_ptr<Hdf5Helpers>& helpers = nullptr);

// "/a/b:0" for the variable a/b.
std::string DatasetOfVariable(const std::string& name);

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_SHARD_H_
