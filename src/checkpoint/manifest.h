// The manifest of a checkpoint: the shards and the variables in each. The format is in FORMAT.md.
#ifndef DFRUN_SRC_CHECKPOINT_MANIFEST_H_
#define DFRUN_SRC_CHECKPOINT_MANIFEST_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

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

struct Manifest {
  int64_t step = 0;
  std::vector<ShardEntry> shards;
  std::vector<SavedInput> inputs = {};
  std::vector<SavedSetting> settings = {};
  int64_t skipped_steps = 0;  // the last ones, behind each other, that made no updates (`on_nan: skip`)
  uint32_t format = 3;        // the format of the file that was read

  // Returns the variable and sets `shard` to the index of its shard; null if no shard has it.
  const SavedVariable* Find(const std::string& variable, size_t* shard) const;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_MANIFEST_H_
