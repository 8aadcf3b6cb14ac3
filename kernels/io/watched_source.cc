#include "kernels/io/watched_source.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/base/file_version.h"
#include "src/base/log.h"
#include "src/base/mutex.h"

namespace dfrun {
namespace {

// The largest number of files that are looked at: in a set of a million images, these lie at even distances from the
// first to the last.
constexpr size_t kMaxFiles = 1000;
constexpr size_t kFilesALook = 32;
constexpr std::chrono::seconds kInterval{1};

std::string Difference(const FileVersion& then, const std::optional<FileVersion>& now) {
  if (!now) return "is gone";
  if (now->bytes != then.bytes) return StrCat("has ", now->bytes, " bytes now and had ", then.bytes);
  if (now->inode != then.inode || now->device != then.device) return "is another file now, of the same size";
  return now->modified_ns != then.modified_ns ? "was written to" : "";
}

// Thread safety: Look() from any thread.
class FileWatch {
 public:
  explicit FileWatch(const std::vector<std::string>& paths) {
    const size_t chosen = std::min(paths.size(), kMaxFiles);
    for (size_t i = 0; i < chosen; ++i) {
      const std::string& path = paths[chosen == 1 ? 0 : i * (paths.size() - 1) / (chosen - 1)];
      if (const std::optional<FileVersion> version = VersionOfPath(path)) files_.push_back({path, *version});
    }
  }

  // One thread looks, and no others wait for it.
  void Look() EXCLUDES(mu_) {
    const int64_t now = std::chrono::steady_clock::now().time_since_epoch() / kInterval;
    int64_t last = looked_s_.load(std::memory_order_relaxed);
    if (last >= now || !looked_s_.compare_exchange_strong(last, now, std::memory_order_relaxed)) return;
    MutexLock lock(mu_);
    for (size_t i = 0; i < std::min(files_.size(), kFilesALook); ++i) {
      File& file = files_[next_++ % files_.size()];
      if (!file.is_named) LookAt(file);
    }
  }

 private:
  struct File {
    std::string path;
    FileVersion version;
    bool is_named = false;
  };

  static void LookAt(File& file) {
    const std::string difference = Difference(file.version, VersionOfPath(file.path));
    if (difference.empty()) return;
    file.is_named = true;
    DF_LOG(kWarning) << file.path << " " << difference << ", while this job reads it: a sample that is not what it was "
                     << "when it was read first ends the job";
  }

  std::atomic<int64_t> looked_s_{std::chrono::steady_clock::now().time_since_epoch() / kInterval};
  Mutex mu_;
  std::vector<File> files_ GUARDED_BY(mu_);
  size_t next_ GUARDED_BY(mu_) = 0;
};

class WatchedSource final : public SampleSource {
 public:
  explicit WatchedSource(std::unique_ptr<SampleSource> source) : source_(std::move(source)), watch_(source_->files()) {}

  const std::vector<std::string>& files() const override { return source_->files(); }
  Status AddField(SampleField& field) override { return source_->AddField(field); }
  Result<RecordIndex> Count() override { return source_->Count(); }
  std::string layouts() const override { return source_->layouts(); }
  Result<int64_t> Load(const RecordIndex& record_index) override { return source_->Load(record_index); }
  bool IsShortCopy(int64_t samples) const override { return source_->IsShortCopy(samples); }
  Result<std::vector<Tensor>> Gather(std::span<const int64_t> samples, Allocator& allocator) override {
    Result<std::vector<Tensor>> gathered = source_->Gather(samples, allocator);
    watch_.Look();
    return gathered;
  }

 private:
  const std::unique_ptr<SampleSource> source_;
  FileWatch watch_;
};

}  // namespace

std::unique_ptr<SampleSource> Watched(std::unique_ptr<SampleSource> source) {
  return std::make_unique<WatchedSource>(std::move(source));
}

}  // namespace dfrun
