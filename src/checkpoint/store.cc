#include "src/checkpoint/store.h"

#include <algorithm>
#include <filesystem>

#include "src/base/file.h"
#include "src/base/log.h"
#include "src/base/text.h"
#include "src/checkpoint/directory_commit.h"

namespace dfrun {
namespace {

namespace fs = std::filesystem;

// 500 of "step-500"; nothing for other text.
std::optional<int64_t> StepOf(std::string_view name) {
  if (name.substr(0, 5) != "step-") return std::nullopt;
  const std::optional<int64_t> step = ParseAs<int64_t>(name.substr(5));
  return step && *step >= 0 ? step : std::nullopt;
}

}  // namespace

std::string CheckpointStore::PathOf(int64_t step, const char* suffix) const {
  return StrCat(directory_, "/step-", step, suffix);
}

Result<std::string> CheckpointStore::Begin(int64_t step) {
  return BeginDirectory(PathOf(step, ""));
}

Status CheckpointStore::Commit(const Manifest& manifest) {
  DF_TRY(CommitDirectory(PathOf(manifest.step, ""), manifest));
  DF_TRY(WriteFileAtomically(directory_ + "/LATEST", StrCat("step-", manifest.step, "\n")));
  return RemoveOld(manifest.step);
}

std::vector<CheckpointStore::Committed> CheckpointStore::List() const {
  std::vector<Committed> found;
  std::error_code error;
  for (fs::directory_iterator it(directory_, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    const bool old = name.size() > 4 && name.substr(name.size() - 4) == ".old";
    const auto step = StepOf(old ? std::string_view(name).substr(0, name.size() - 4) : std::string_view(name));
    if (step && !(old && fs::exists(PathOf(*step, ""), error))) found.push_back({*step, it->path().string()});
  }
  std::sort(found.begin(), found.end(), [](const Committed& a, const Committed& b) { return a.step > b.step; });
  return found;
}

Result<CheckpointStore::Checkpoint> CheckpointStore::Open(const std::string& directory) {
  DF_ASSIGN(Manifest manifest, ReadManifest(directory));
  DF_TRY(VerifyShards(directory, manifest));
  return Checkpoint{directory, std::move(manifest)};
}

Result<std::optional<CheckpointStore::Checkpoint>> CheckpointStore::FindNewest() const {
  Status first;
  for (const Committed& c : List()) {
    Result<Checkpoint> opened = Open(c.directory);
    if (opened.ok()) return std::optional(*std::move(opened));
    const Status& status = opened.status();
    if (status.code() != Code::kDataLoss && status.code() != Code::kNotFound) return status;
    DF_LOG(kWarning) << status.message() << "; looking for an older one";
    if (first.ok()) first = status;
  }
  if (first.ok()) return std::optional<Checkpoint>();
  return Error(Code::kDataLoss, "no checkpoint in ", directory_, " is whole: ", first.message(),
               "; to begin anew, name another run directory");
}

// A newer one is damaged, or the job would not have gone on from an older: it takes no place of a good one.
Status CheckpointStore::RemoveOld(int64_t newest) const {
  if (keep_ == 0) return Status();
  std::vector<Committed> all = List();
  std::erase_if(all, [&](const Committed& c) { return c.step > newest; });
  for (size_t i = static_cast<size_t>(keep_); i < all.size(); ++i) DF_TRY(RemoveDirectory(all[i].directory));
  return Status();
}

}  // namespace dfrun
