// The directory of a run's checkpoints: beginning, committing, finding and removing them. Rank 0 alone uses it.
// FORMAT.md has the steps, the commit point and the crash argument.
#ifndef DFRUN_SRC_CHECKPOINT_STORE_H_
#define DFRUN_SRC_CHECKPOINT_STORE_H_

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/checkpoint/directory_commit.h"
#include "src/checkpoint/manifest.h"

namespace dfrun {

// Thread safety: one thread at a time.
class CheckpointStore {
 public:
  // `keep`: how many of the newest checkpoints stay; 0: all.
  CheckpointStore(std::string directory, int keep) : directory_(std::move(directory)), keep_(keep) {}

  // Makes the empty directory that the shards of this step go into, and returns its path. It goes with the next Begin()
  // and with the store, unless it is committed. What processes that are gone have left of theirs is removed.
  Result<std::string> Begin(int64_t step);
  // Makes what Begin() started the checkpoint of its step. What cannot be removed of older ones is left, with a
  // warning.
  Status Commit(const Manifest& manifest);

  struct Checkpoint {
    std::string directory;
    Manifest manifest;
  };
  // OK for a checkpoint that the job can go on from.
  using Fits = std::function<Status(const Checkpoint&)>;

  // The newest committed checkpoint whose files are whole and which fits; nothing if none was committed. Others are
  // passed over with a warning in the log, but an error where no other is left. One that cannot be read (kIo, the
  // directory itself too) or is of another format is an error at once: to go on from an older one, or from none, would
  // lose what is good.
  Result<std::optional<Checkpoint>> FindNewest(const Fits& fits = nullptr) const;
  // That of this step, likewise. Usage error that lists the steps there are where it is missing.
  Result<Checkpoint> FindStep(int64_t step, const Fits& fits = nullptr) const;
  // Renames the checkpoints of later steps, so that none of them is found again; returns what they are called now.
  Result<std::vector<std::string>> SetAsideAfter(int64_t step);
  // One checkpoint by its directory, whatever that is called, verified. Warns of format 1.
  static Result<Checkpoint> Open(const std::string& directory);

 private:
  struct Committed {
    int64_t step;
    std::string directory;
  };
  // What stands under the name of a checkpoint, and is none.
  struct Stray {
    std::string path;
    std::string what;
    bool may_lead_to_one;  // a link to a directory
  };
  struct Listing {
    std::vector<Committed> committed;  // newest first; step-N before step-N.old
    std::vector<Stray> strays;
  };
  // kIo where the directory cannot be read; a directory that is not there holds nothing.
  Result<Listing> List() const;
  Status SetAsideForeign(const std::string& path) const;
  Status Classify(const std::string& name, Listing& listing) const;
  // `passed_over`: why another is to be looked for; OK where this one is good.
  Status OpenCommitted(const Committed& committed, const Fits& fits, Checkpoint* checkpoint, Status* passed_over) const;
  std::string PathOf(int64_t step, const char* suffix) const;
  // Of what was committed up to this step.
  void RemoveOld(int64_t newest);
  void RemoveStale();
  // What cannot be removed is warned of once.
  void Remove(const std::string& path);
  void WarnOnce(const std::string& path, const Status& status);

  const std::string directory_;
  const int keep_;
  std::optional<NewDirectory> begun_;
  std::set<std::string> warned_;  // paths
};

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_STORE_H_
