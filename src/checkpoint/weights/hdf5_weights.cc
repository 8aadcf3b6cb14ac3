// Datasets of an HDF5 file.
#include "src/base/text.h"
#include "src/checkpoint/weights/weight_source.h"
#include "src/storage/hdf5_file.h"

namespace dfrun {
namespace {

constexpr std::string_view kPort = ":0";  // behind a variable's name, as TensorFlow writes it

class Hdf5Weights final : public WeightSource {
 public:
  explicit Hdf5Weights(std::unique_ptr<Hdf5File> file)
      : WeightSource("the HDF5 file " + file->path()), file_(std::move(file)) {}

  Status List() {
    DF_ASSIGN(datasets_, file_->List());
    for (const std::string& dataset : datasets_) {
      const std::string path = dataset.substr(dataset.starts_with('/') ? 1 : 0);
      Entry entry{.name = path};
      if (path.ends_with(kPort)) {
        entry.name.resize(path.size() - kPort.size());
        entry.aliases.push_back(path);
      }
      const Result<DatasetInfo> info = file_->Inspect(dataset);
      if (info.ok() && !info->holds_lists) {
        entry.dtype = info->dtype;
        entry.shape = info->shape;
      } else {
        entry.type = info.ok() ? "lists" : info.status().message();
      }
      entries_.push_back(std::move(entry));
    }
    return Status();
  }

  Result<Tensor> Read(size_t entry) override { return file_->Read(datasets_[entry], SystemAllocator()); }

 private:
  const std::unique_ptr<Hdf5File> file_;
  std::vector<std::string> datasets_;  // by entry
};

// The signature stands at byte 0, 512 or a larger power of two.
bool IsHdf5(const FileHead& file) {
  constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
  constexpr size_t kSecond = 512;
  for (size_t at = 0; at < file.bytes.size(); at = at == 0 ? kSecond : at * 2) {
    if (std::string_view(file.bytes).substr(at).starts_with(kSignature)) return true;
  }
  return false;
}

Result<std::unique_ptr<WeightSource>> OpenHdf5(const std::string& path) {
  DF_ASSIGN(std::unique_ptr<Hdf5File> file, Hdf5File::Open(path, {}));
  auto source = std::make_unique<Hdf5Weights>(std::move(file));
  DF_TRY(source->List());
  return std::unique_ptr<WeightSource>(std::move(source));
}

WEIGHT_FORMAT("hdf5", {.what = "an HDF5 file", .recognizes = &IsHdf5, .open = &OpenHdf5});

}  // namespace
}  // namespace dfrun
