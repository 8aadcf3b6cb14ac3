#include "src/storage/hdf5_structures.h"

#include <algorithm>
#include <map>
#include <utility>

namespace dfrun {
namespace {

// HDF5 keeps up to a few MiB of each, and opens one in half a millisecond.
constexpr size_t kMaxOpenFiles = 32;

class KeepsInfos final : public Hdf5Structure {
 public:
  explicit KeepsInfos(std::unique_ptr<Hdf5Structure> structure) : structure_(std::move(structure)) {}

  Result<std::vector<std::string>> List() override { return structure_->List(); }
  Result<DatasetInfo> Inspect(const std::string& dataset) override {
    const auto known = infos_.find(dataset);
    if (known != infos_.end()) return known->second;
    DF_ASSIGN(const DatasetInfo info, structure_->Inspect(dataset));
    return infos_[dataset] = info;
  }
  Status Read(const std::string& dataset, Tensor& to) override { return structure_->Read(dataset, to); }
  Status ReadRows(const std::string& dataset, int64_t begin, Tensor& to) override {
    return structure_->ReadRows(dataset, begin, to);
  }
  uint64_t BytesHeld(const std::string& dataset) override {
    const auto [held, is_new] = held_.emplace(dataset, 0);
    if (is_new) held->second = structure_->BytesHeld(dataset);
    return held->second;
  }

 private:
  const std::unique_ptr<Hdf5Structure> structure_;
  std::map<std::string, DatasetInfo> infos_;
  std::map<std::string, uint64_t> held_;
};

}  // namespace

Result<Hdf5Structure*> Hdf5Structures::Open(const std::string& path, const Hdf5Rules& rules) {
  const auto found = std::find_if(files_.begin(), files_.end(),
                                  [&](const OpenFile& file) { return file.path == path && file.rules == rules; });
  if (found != files_.end()) {
    files_.splice(files_.begin(), files_, found);
    return files_.front().structure.get();
  }
  if (files_.size() >= kMaxOpenFiles) files_.pop_back();
  DF_ASSIGN(const Hdf5Library* const library, LoadHdf5());
  DF_ASSIGN(std::unique_ptr<Hdf5Structure> opened, library->Open(path, rules));
  files_.push_front({path, rules, std::make_unique<KeepsInfos>(std::move(opened))});
  return files_.front().structure.get();
}

}  // namespace dfrun
