#include "src/checkpoint/store.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "src/base/file.h"
#include "src/base/log.h"
#include "src/checkpoint/directory_commit.h"

namespace dfrun {
namespace {

namespace fs = std::filesystem;

// 500 of "step-500"; nothing for other text.
std::optional<int64_t> StepOf(std::string_view name) {
  if (name.substr(0, 5) != "step-") return std::nullopt;
  int64_t step = 0;
  auto [end, error] = std::from_chars(name.data() + 5, name.data() + name.size(), step);
  return error == std::errc() && end == name.data() + name.size() && step >= 0 ? std::optional(step) : std::nullopt;
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
  return RemoveOld();
}

std::vector<CheckpointStore::Committed> CheckpointStore::List() const {
  std::vector<Committed> found;
  std::error_code error;
  for (fs::directory_iterator it(directory_, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    const bool old = name.size() > 4 && name.substr(name.size() - 4) == ".old";
    const auto step = StepOf(old ? std::string_view(name).substr(0, name.size() - 4) : std::string_view(name));
    if (step && !(old && fs::exists(PathOf(*step, "")))) found.push_back({*step, it->path().string()});
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
  for (const Committed& c : List()) {
    Result<Checkpoint> opened = Open(c.directory);
    if (opened.ok()) return std::optional(*std::move(opened));
    DF_LOG(kWarning) << opened.status().message() << "; looking for an older one";
  }
  return std::optional<Checkpoint>();
}

Status CheckpointStore::RemoveOld() const {
  if (keep_ == 0) return Status();
  const std::vector<Committed> all = List();
  for (size_t i = static_cast<size_t>(keep_); i < all.size(); ++i) DF_TRY(RemoveDirectory(all[i].directory));
  return Status();
}

}  // namespace dfrun
