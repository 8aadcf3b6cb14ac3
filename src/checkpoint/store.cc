#include "src/checkpoint/store.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "src/base/file.h"
#include "src/base/log.h"
#include "src/base/text.h"
#include "src/checkpoint/directory_commit.h"

namespace dfrun {
namespace {

// 500 of "step-500" and "step-500.old"; nothing for other text.
std::optional<int64_t> StepOf(std::string_view name) {
  if (name.ends_with(".old")) name.remove_suffix(4);
  if (!name.starts_with("step-")) return std::nullopt;
  const std::optional<int64_t> step = ParseAs<int64_t>(name.substr(5));
  return step && name == StrCat("step-", *step) && *step >= 0 ? step : std::nullopt;
}

// "step-007", which this program does not write.
bool LooksLikeAStep(std::string_view name) {
  return name.starts_with("step-") && name.size() > 5 && name.find_first_not_of("0123456789", 5) == name.npos;
}

// Damage; another format is none, and nor is a file that cannot be read now.
bool IsPassedOver(Code code) {
  return code == Code::kDataLoss || code == Code::kNotFound;
}

}  // namespace

std::string CheckpointStore::PathOf(int64_t step, const char* suffix) const {
  return StrCat(directory_, "/step-", step, suffix);
}

Result<std::string> CheckpointStore::Begin(int64_t step) {
  DF_TRY(MakeDirectories(directory_));
  return BeginDirectory(PathOf(step, ""));
}

Status CheckpointStore::Commit(const Manifest& manifest) {
  DF_TRY(CommitDirectory(PathOf(manifest.step, ""), manifest));
  const Status hint = WriteFileAtomically(directory_ + "/LATEST", StrCat("step-", manifest.step, "\n"));
  if (!hint.ok()) DF_LOG(kWarning) << hint.message() << "; the checkpoint of step " << manifest.step << " is committed";
  return RemoveOld(manifest.step);
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
  const char* kind = FileKind(info.st_mode);
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
  DF_TRY(VerifyShards(directory, manifest));
  if (manifest.format == 1) {
    DF_LOG(kWarning) << "the checkpoint " << directory
                     << " has format 1, whose manifest has no checksum; what is saved "
                     << "from now on has format 2";
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
  if (!fit.ok() && fit.code() != Code::kBadSpec) return fit;
  *passed_over = std::move(fit);
  return Status();
}

Result<std::optional<CheckpointStore::Checkpoint>> CheckpointStore::FindNewest(const Fits& fits) const {
  DF_ASSIGN(const Listing listing, List());
  Status first;
  for (const Stray& stray : listing.strays) {
    DF_LOG(kWarning) << stray.what << ": passed over";
    if (first.ok() && stray.may_lead_to_one) first = Error(Code::kDataLoss, stray.what);
  }
  for (const Committed& c : listing.committed) {
    Checkpoint checkpoint;
    Status passed_over;
    DF_TRY(OpenCommitted(c, fits, &checkpoint, &passed_over));
    if (passed_over.ok()) return std::optional(std::move(checkpoint));
    DF_LOG(kWarning) << passed_over.message() << "; looking for an older one";
    if (first.ok()) first = std::move(passed_over);
  }
  if (first.ok()) return std::optional<Checkpoint>();
  if (first.code() == Code::kBadSpec) return first;
  return Error(Code::kDataLoss, "no checkpoint in ", directory_, " is whole: ", first.message(),
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

Result<std::vector<std::string>> CheckpointStore::SetAsideAfter(int64_t step) {
  DF_ASSIGN(const Listing listing, List());
  std::vector<std::string> names;
  for (const Committed& c : listing.committed) {  // the newest first: a crash leaves the older ones to go on from
    if (c.step <= step) break;
    DF_ASSIGN(std::string name, FreeName(c.directory + ".aside-", ""));
    if (std::rename(c.directory.c_str(), name.c_str()) != 0) return ErrnoError("cannot rename", c.directory);
    names.push_back(std::move(name));
  }
  if (!names.empty()) DF_TRY(SyncDirectory(directory_));
  return names;
}

// A newer one is damaged, or the job would not have gone on from an older: it takes no place of a good one.
Status CheckpointStore::RemoveOld(int64_t newest) const {
  if (keep_ == 0) return Status();
  DF_ASSIGN(Listing listing, List());
  std::vector<Committed>& all = listing.committed;
  std::erase_if(all, [&](const Committed& c) { return c.step > newest; });
  for (size_t i = static_cast<size_t>(keep_); i < all.size(); ++i) DF_TRY(RemoveDirectory(all[i].directory));
  return Status();
}

}  // namespace dfrun
