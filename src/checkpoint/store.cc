#include "src/checkpoint/store.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "src/base/file.h"
#include "src/base/log.h"
#include "src/base/text.h"
#include "src/checkpoint/manifest_file.h"
#include "src/checkpoint/removable.h"
#include "src/checkpoint/temporary_name.h"
#include "src/checkpoint/try_saving.h"

namespace dfrun {
namespace {

// Returns 500 for "step-500", "step-500.old" and "step-500.old-HOST-PROCESS-NUMBER"; nothing for other text.
std::optional<int64_t> StepOf(std::string_view name) {
  if (name.ends_with(".old") || OwnerOf(name, kReplacedMark)) name = name.substr(0, name.find(".old"));
  if (!name.starts_with("step-")) return std::nullopt;
  const std::optional<int64_t> step = ParseAs<int64_t>(name.substr(5));
  return step && name == StrCat("step-", *step) && *step >= 0 ? step : std::nullopt;
}

// Returns true for a name like "step-007", which this program does not write.
bool LooksLikeAStep(std::string_view name) {
  return name.starts_with("step-") && name.size() > 5 && name.find_first_not_of("0123456789", 5) == name.npos;
}

// Renames a directory to a name that is never searched, and returns the name.
Result<std::string> SetAside(const std::string& path) {
  DF_ASSIGN(std::string name, FreeName(path + ".aside-", ""));
  if (std::rename(path.c_str(), name.c_str()) != 0) return ErrnoError("cannot rename", path);
  return name;
}

// Returns true for damage. Another format is no damage, nor is a file that cannot be read now.
bool IsPassedOver(Code code) {
  return code == Code::kDataLoss || code == Code::kNotFound;
}

}  // namespace

std::string CheckpointStore::PathOf(int64_t step, const char* suffix) const {
  return StrCat(directory_, "/step-", step, suffix);
}

Status CheckpointStore::TryToSave(uint64_t bytes, bool with_link) const {
  const Status status = TrySaving(directory_, PathOf(0, ""), bytes, with_link);
  if (status.ok()) return status;
  return IoError("no checkpoint could be saved in ", directory_, ": ", status.message(),
                 "; mend that, or name another run directory with --output");
}

Result<std::string> CheckpointStore::Begin(int64_t step) {
  begun_.reset();
  RemoveStale();
  DF_TRY(SetAsideForeign(PathOf(step, "")));
  DF_ASSIGN(NewDirectory begun, NewDirectory::Begin(PathOf(step, ""), RemovalRule::kFilesOnly));
  begun_.emplace(std::move(begun));
  return begun_->path();
}

Status CheckpointStore::Commit(const Manifest& manifest) {
  if (!begun_) return Internal("the checkpoint of step ", manifest.step, " is committed, but was not begun");
  DF_TRY(begun_->Commit(manifest));
  begun_.reset();
  const Status hint = WriteFileAtomically(directory_ + "/LATEST", StrCat("step-", manifest.step, "\n"));
  if (!hint.ok()) DF_LOG(kWarning) << hint.message() << "; the checkpoint of step " << manifest.step << " is committed";
  RemoveOld(manifest.step);
  return Status();
}

Status CheckpointStore::Classify(const std::string& name, Listing& listing) const {
  const std::optional<int64_t> step = StepOf(name);
  const std::string path = directory_ + "/" + name;
  if (!step && LooksLikeAStep(name)) listing.strays.push_back({path, path + " is not the name of a step", false});
  if (!step) return Status();
  struct stat info;
  if (::lstat(path.c_str(), &info) != 0) return errno == ENOENT ? Status() : ErrnoError("cannot look at", path);
  if (S_ISDIR(info.st_mode)) {
    listing.committed.push_back({*step, path});
    return Status();
  }
  const char* kind = KindOfFile(info.st_mode);
  const bool leads = S_ISLNK(info.st_mode) && ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
  listing.strays.push_back({path, StrCat(path, " is ", kind, ", not a checkpoint's directory"), leads});
  return Status();
}

Result<CheckpointStore::Listing> CheckpointStore::List() const {
  Listing listing;
  const Result<std::vector<std::string>> names = ListDirectory(directory_);
  if (names.status().code() == Code::kNotFound) return listing;
  DF_TRY(names.status());
  for (const std::string& name : *names) DF_TRY(Classify(name, listing));
  // The names are sorted, so that step-N comes before step-N.old.
  std::stable_sort(listing.committed.begin(), listing.committed.end(),
                   [](const Committed& a, const Committed& b) { return a.step > b.step; });
  return listing;
}

Result<CheckpointStore::Checkpoint> CheckpointStore::Open(const std::string& directory) {
  DF_ASSIGN(Manifest manifest, ReadManifest(directory));
  DF_TRY(VerifyFiles(directory, manifest));
  if (manifest.format == 1) {
    DF_LOG(kWarning) << "the checkpoint " << directory
                     << " has format 1, whose manifest has no checksum; what is saved "
                     << "from now on has format 3";
  }
  return Checkpoint{directory, std::move(manifest)};
}

Status CheckpointStore::OpenCommitted(const Committed& committed, const Fits& fits, Checkpoint* checkpoint,
                                      Status* passed_over) const {
  Result<Checkpoint> opened = Open(committed.directory);
  if (!opened.ok()) {
    if (!IsPassedOver(opened.status().code())) return opened.status();
    *passed_over = opened.status();
    return Status();
  }
  *checkpoint = *std::move(opened);
  if (checkpoint->manifest.step != committed.step) {
    *passed_over = Error(Code::kDataLoss, "the checkpoint ", committed.directory, " is of step ",
                         checkpoint->manifest.step, ": it is damaged, or a copy");
    return Status();
  }
  Status fit = fits ? fits(*checkpoint) : Status();
  if (!fit.ok() && fit.code() != Code::kBadSpec && !IsPassedOver(fit.code())) return fit;
  *passed_over = std::move(fit);
  return Status();
}

Result<std::optional<CheckpointStore::Checkpoint>> CheckpointStore::FindNewest(const Fits& fits) const {
  DF_ASSIGN(const Listing listing, List());
  Status damage;  // the first
  for (const Stray& stray : listing.strays) {
    DF_LOG(kWarning) << stray.what << ": passed over";
    if (damage.ok() && stray.may_lead_to_one) damage = Error(Code::kDataLoss, stray.what);
  }
  std::vector<Status> misfits;
  for (const Committed& c : listing.committed) {
    Checkpoint checkpoint;
    Status passed_over;
    DF_TRY(OpenCommitted(c, fits, &checkpoint, &passed_over));
    if (passed_over.ok()) {
      if (!misfits.empty()) DF_LOG(kWarning) << misfits[0].message() << "; the older " << c.directory << " fits";
      return std::optional(std::move(checkpoint));
    }
    if (passed_over.code() == Code::kBadSpec) {
      misfits.push_back(std::move(passed_over));
      continue;
    }
    DF_LOG(kWarning) << passed_over.message() << "; looking for an older one";
    if (damage.ok()) damage = std::move(passed_over);
  }
  if (misfits.empty() && damage.ok()) return std::optional<Checkpoint>();
  return WhyNone(misfits, damage);
}

Status CheckpointStore::WhyNone(const std::vector<Status>& misfits, const Status& damage) const {
  if (misfits.size() == 1) return misfits[0];
  if (!misfits.empty()) {
    return Error(Code::kBadSpec, misfits[0].message(), "; nor do older ones fit, ", misfits.size() - 1, " in all");
  }
  return Error(Code::kDataLoss, "no checkpoint in ", directory_, " is whole: ", damage.message(),
               "; to begin anew, name another run directory");
}

Result<CheckpointStore::Checkpoint> CheckpointStore::FindStep(int64_t step, const Fits& fits) const {
  DF_ASSIGN(const Listing listing, List());
  Status first;
  std::vector<int64_t> others;
  for (const Committed& c : listing.committed) {
    if (c.step != step) {
      if (others.empty() || others.back() != c.step) others.push_back(c.step);
      continue;
    }
    Checkpoint checkpoint;
    Status passed_over;
    DF_TRY(OpenCommitted(c, fits, &checkpoint, &passed_over));
    if (passed_over.ok()) return checkpoint;
    if (first.ok()) first = std::move(passed_over);
  }
  DF_TRY(first);
  std::reverse(others.begin(), others.end());
  return Error(Code::kUsage, "there is no checkpoint of step ", step, " in ", directory_,
               others.empty() ? ", and none of another" : "; there are those of steps " + Join(others));
}

// Something else that has the name of a step, and that dfrun may not remove, is renamed: a job that has come so far
// need not end for it.
Status CheckpointStore::SetAsideForeign(const std::string& path) const {
  const Status removable = CheckRemovable(path, RemovalRule::kFilesOnly);
  if (removable.ok() || removable.code() == Code::kNotFound) return Status();
  DF_ASSIGN(const std::string name, SetAside(path));
  DF_LOG(kWarning) << removable.message() << ": it is " << name << " from now on";
  return SyncDirectory(directory_);
}

Result<std::vector<std::string>> CheckpointStore::SetAsideAfter(int64_t step) {
  DF_ASSIGN(const Listing listing, List());
  std::vector<std::string> names;
  for (const Committed& c : listing.committed) {  // the newest first: a crash leaves the older ones to go on from
    if (c.step <= step) break;
    DF_ASSIGN(std::string name, SetAside(c.directory));
    names.push_back(std::move(name));
  }
  if (!names.empty()) DF_TRY(SyncDirectory(directory_));
  return names;
}

// A newer checkpoint is damaged, or the job would have gone on from it, so it does not count among those to keep. Nor
// does a damaged one, or a copy of another step, which belongs to the user.
void CheckpointStore::RemoveOld(int64_t newest) {
  const Result<Listing> listing = List();
  if (!listing.ok()) return WarnOnce(directory_, listing.status());
  int kept = 0;
  for (const Committed& c : listing->committed) {
    if (c.step > newest || (keep_ == 0 && c.step != newest)) continue;
    const bool is_replaced = c.step == newest && c.directory != PathOf(newest, "");
    const Result<Manifest> manifest = ReadManifest(c.directory);
    if (manifest.ok() && manifest->step != c.step) continue;
    const bool is_protected = std::find(protected_.begin(), protected_.end(), c.step) != protected_.end();
    if (is_replaced || (keep_ > 0 && kept >= keep_ && !is_protected)) {
      Remove(c.directory);
    } else if (manifest.ok()) {
      ++kept;
    }
  }
}

void CheckpointStore::RemoveStale() {
  const Result<std::vector<std::string>> names = ListDirectory(directory_);
  if (names.status().code() == Code::kNotFound) return;
  if (!names.ok()) return WarnOnce(directory_, names.status());
  for (const std::string& name : *names) {
    const std::string path = directory_ + "/" + name;
    const size_t mark = name.find(".tmp");
    const bool is_temporary = mark != std::string::npos && StepOf(name.substr(0, mark)) &&
                              (name.ends_with(".tmp") || OwnerOf(name, kTemporaryMark));
    if (!is_temporary || MayBeHeld(path, OwnerOf(name, kTemporaryMark))) continue;
    const Status removed = RemoveDirectory(path, RemovalRule::kFilesOnly);
    if (!removed.ok()) WarnOnce(path, removed);
  }
}

void CheckpointStore::Remove(const std::string& path) {
  const Status removed = RemoveAtomically(path, RemovalRule::kFilesOnly);
  if (!removed.ok()) WarnOnce(path, removed);
}

void CheckpointStore::WarnOnce(const std::string& path, const Status& status) {
  if (warned_.insert(path).second) DF_LOG(kWarning) << status.message() << "; it is left where it is";
}

}  // namespace dfrun
