// The manifest of a checkpoint: the shards and the variables in each. The format is in FORMAT.md.
#ifndef DFRUN_SRC_CHECKPOINT_MANIFEST_H_
#define DFRUN_SRC_CHECKPOINT_MANIFEST_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/json/json_value.h"
#include "src/checkpoint/shard.h"

namespace dfrun {

// The files of an input whose position is among the variables, with their numbers of samples.
struct SavedInput {
  struct File {
    std::string path;
    int64_t samples = 0;
  };
  std::string name;
  int64_t samples = 0;
  std::vector<File> files;                // in the order of the samples; empty if there are too many to list
  std::vector<std::string> classes = {};  // names of its labels' numbers, from 0 on; empty: not known
};

// A setting of the job that wrote the checkpoint, if it decides the values: "train.learning_rate", "0.1".
struct SavedSetting {
  std::string name;
  std::string value;
};

// A further file of the checkpoint, beside the shards, or a link to one of its files.
struct SavedFile {
  std::string name;
  std::optional<std::string> link = {};  // the name of the file that a link leads to; none: a file
  uint64_t bytes = 0;                    // 0 for a link
  uint32_t crc32c = 0;                   // 0 for a link
};

// Returns true for a name that a further file may have.
bool IsFurtherFileName(std::string_view name);

struct Manifest {
  int64_t step = 0;
  std::vector<ShardEntry> shards;
  std::vector<SavedInput> inputs = {};
  std::vector<SavedSetting> settings = {};
  // The state of the job beside its variables: an object whose members are objects, by the names of FORMAT.md, "State".
  // A job that goes on from this checkpoint saves those again whose names it does not know.
  JsonValue state = JsonValue::Object();
  std::vector<SavedFile> files = {};
  uint32_t format = 3;  // the format of the file that was read

  // Returns the variable and sets `shard` to the index of its shard; null if no shard has it.
  const SavedVariable* Find(const std::string& variable, size_t* shard) const;
  // The last steps, behind each other, that made no updates (`on_nan: skip`), as `state` has them.
  int64_t skipped_steps() const;
  void set_skipped_steps(int64_t steps);
};

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_MANIFEST_H_
