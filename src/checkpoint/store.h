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

  // Whether Begin() would find place for a checkpoint of so many bytes, as far as one small file tells, which is made
  // where the shards will be, synced and removed, with a link to it where `with_link` is set. kIo with the reason;
  // where it is the room, with both numbers.
  Status TryToSave(uint64_t bytes, bool with_link) const;
  // Makes the empty directory for the shards of this step, and returns its path. The next Begin() and the store's
  // destructor remove it unless it is committed. Temporary directories of processes that have ended are removed too.
  Result<std::string> Begin(int64_t step);
  // Keeps the checkpoints of these steps beside the newest, until the next call.
  void Protect(const std::vector<int64_t>& steps) { protected_.assign(steps.begin(), steps.end()); }
  // Commits the directory of Begin() as the checkpoint of its step. Older checkpoints that cannot be removed are left,
  // with a warning.
  Status Commit(const Manifest& manifest);

  struct Checkpoint {
    std::string directory;
    Manifest manifest;
  };
  // OK for a checkpoint from which the job can go on.
  using Fits = std::function<Status(const Checkpoint&)>;

  // Finds the newest committed checkpoint whose files are whole and which fits; nothing if none was committed. A
  // damaged one is passed over with a warning, and is an error if no other is left; those that do not fit have one
  // warning, or one error, together. A checkpoint that cannot be read
  // (kIo, also of the whole directory) or has another format is an error at once: to go on from an older one, or from
  // none, would lose a good one.
  Result<std::optional<Checkpoint>> FindNewest(const Fits& fits = nullptr) const;
  // Finds the checkpoint of this step, likewise. If it is missing, a Usage error lists the steps that exist.
  Result<Checkpoint> FindStep(int64_t step, const Fits& fits = nullptr) const;
  // Renames the checkpoints of later steps, so that none of them is found again; returns their new names.
  Result<std::vector<std::string>> SetAsideAfter(int64_t step);
  // Reads and verifies one checkpoint by its directory, whatever the directory's name. Warns of format 1.
  static Result<Checkpoint> Open(const std::string& directory);

 private:
  struct Committed {
    int64_t step;
    std::string directory;
  };
  // Something that has the name of a checkpoint and is none.
  struct Stray {
    std::string path;
    std::string what;
    bool may_lead_to_one;  // a link to a directory
  };
  struct Listing {
    std::vector<Committed> committed;  // newest first; step-N before step-N.old
    std::vector<Stray> strays;
  };
  // Returns kIo where the directory cannot be read; a missing directory has an empty listing.
  Result<Listing> List() const;
  Status SetAsideForeign(const std::string& path) const;
  Status Classify(const std::string& name, Listing& listing) const;
  // Sets `passed_over` to the reason for which this checkpoint is passed over; OK if it is good.
  Status OpenCommitted(const Committed& committed, const Fits& fits, Checkpoint* checkpoint, Status* passed_over) const;
  // The error where none is good: the newest of the whole ones that do not fit, else the newest damage.
  Status WhyNone(const std::vector<Status>& misfits, const Status& damage) const;
  std::string PathOf(int64_t step, const char* suffix) const;
  // Removes checkpoints up to this step beyond those to keep.
  void RemoveOld(int64_t newest);
  void RemoveStale();
  // Removes a directory; warns once if it cannot be removed.
  void Remove(const std::string& path);
  void WarnOnce(const std::string& path, const Status& status);

  const std::string directory_;
  const int keep_;
  std::vector<int64_t> protected_;  // steps
  std::optional<NewDirectory> begun_;
  std::set<std::string> warned_;  // paths
};

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_STORE_H_
