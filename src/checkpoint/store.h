// The directory of a run's checkpoints: beginning, committing, finding and removing them. Rank 0 alone uses it.
// FORMAT.md has the steps, the commit point and the crash argument.
#ifndef DFRUN_SRC_CHECKPOINT_STORE_H_
#define DFRUN_SRC_CHECKPOINT_STORE_H_

#include <optional>
#include <string>
#include <vector>

#include "src/checkpoint/manifest.h"

namespace dfrun {

// Thread safety: one thread at a time.
class CheckpointStore {
 public:
  // `keep`: how many of the newest checkpoints stay; 0: all.
  CheckpointStore(std::string directory, int keep) : directory_(std::move(directory)), keep_(keep) {}

  // Makes the empty directory that the shards of this step go into, and returns its path.
  Result<std::string> Begin(int64_t step);
  // Makes what Begin() started the checkpoint of its step.
  Status Commit(const Manifest& manifest);

  struct Checkpoint {
    std::string directory;
    Manifest manifest;
  };
  // The newest committed checkpoint whose files are whole; nothing if none was committed. Damaged ones are passed over
  // with a warning in the log, but an error where no other is left, and so is one that cannot be read or is of another
  // format: to go on from an older one, or from none, would lose what is good.
  Result<std::optional<Checkpoint>> FindNewest() const;
  // One checkpoint by its directory, verified.
  static Result<Checkpoint> Open(const std::string& directory);

 private:
  struct Committed {
    int64_t step;
    std::string directory;
  };
  std::vector<Committed> List() const;  // newest first
  std::string PathOf(int64_t step, const char* suffix) const;
  // Of what was committed up to this step.
  Status RemoveOld(int64_t newest) const;

  const std::string directory_;
  const int keep_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_STORE_H_
