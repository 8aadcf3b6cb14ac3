// The part of the program with HDF5, as src/storage/hdf5_library.h has it.
#include <memory>
#include <string>
#include <utility>

#include "src/hdf5/bytes_held.h"
#include "src/hdf5/hdf5.h"
#include "src/hdf5/hdf5_location.h"
#include "src/hdf5/shown_dataset.h"
#include "src/hdf5/tensor_hdf5.h"
#include "src/storage/hdf5_library.h"

namespace dfrun {
namespace {

class Structure final : public Hdf5Structure {
 public:
  Structure(h5::Handle file, std::string path, Hdf5Rules rules)
      : file_(std::move(file)), path_(std::move(path)), rules_(std::move(rules)) {}

  Result<std::vector<std::string>> List() override { return h5::ListDatasets(file_); }
  Result<DatasetInfo> Inspect(const std::string& dataset) override {
    DF_TRY(CheckLocations(dataset));
    return InspectDataset(file_, path_, dataset);
  }
  Status Read(const std::string& dataset, Tensor& to) override {
    DF_TRY(CheckLocations(dataset));
    DF_ASSIGN(const Tensor value, ReadTensor(file_, path_, dataset, SystemAllocator()));
    if (value.dtype() != to.dtype() || !(value.shape() == to.shape())) {
      return Error(Code::kDataLoss, path_, " has changed while it was read");
    }
    CopyElements(value, to);
    return Status();
  }
  Status ReadRows(const std::string& dataset, int64_t begin, Tensor& to) override {
    DF_TRY(CheckLocations(dataset));
    return dfrun::ReadRows(file_, path_, dataset, begin, to);
  }
  uint64_t BytesHeld(const std::string& dataset) override {
    return CheckLocations(dataset).ok() ? dfrun::BytesHeld(file_, path_, dataset) : 0;
  }

 private:
  // Checks the location of the dataset, and of each that the name would be a field of.
  Status CheckLocations(const std::string& dataset) const {
    for (size_t end = dataset.size(); end != std::string::npos && end > 0; end = dataset.rfind(':', end - 1)) {
      DF_TRY(CheckLocation(file_, path_, dataset.substr(0, end), rules_));
    }
    return Status();
  }

  const h5::Handle file_;
  const std::string path_;
  const Hdf5Rules rules_;
};

class Writer final : public Hdf5Writer {
 public:
  Writer(h5::Handle file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

  Result<DatasetInfo> Write(const std::string& dataset, const Tensor& value, bool write_bytes) override {
    return WriteTensor(file_, dataset, value, write_bytes);
  }
  Status Show(const std::string& file, const std::string& dataset, DType dtype, const Shape& shape) override {
    const Status status = ShowDataset(file_, file, dataset, dtype, shape);
    return status.Annotate("showing '" + dataset + "' in " + path_);
  }
  Status SetAttribute(const char* name, const std::string& value) override {
    return h5::WriteStringAttribute(file_, name, value);
  }
  Status Close() override { return h5::CloseFile(std::move(file_), path_); }

 private:
  h5::Handle file_;
  const std::string path_;
};

class Library final : public Hdf5Library {
 public:
  std::string version() const override {
    unsigned major = 0;
    unsigned minor = 0;
    unsigned release = 0;
    h5::Prepare();
    if (H5get_libversion(&major, &minor, &release) < 0) return "unknown";
    return StrCat(major, ".", minor, ".", release);
  }
  Result<std::unique_ptr<Hdf5Structure>> Open(const std::string& path, const Hdf5Rules& rules) const override {
    DF_ASSIGN(h5::Handle file, h5::OpenFile(path));
    return std::unique_ptr<Hdf5Structure>(std::make_unique<Structure>(std::move(file), path, rules));
  }
  Result<std::unique_ptr<Hdf5Writer>> Create(const std::string& path) const override {
    DF_ASSIGN(h5::Handle file, h5::CreateFile(path));
    return std::unique_ptr<Hdf5Writer>(std::make_unique<Writer>(std::move(file), path));
  }
  Result<std::unique_ptr<Hdf5Writer>> CreateNew(const std::string& path) const override {
    DF_ASSIGN(h5::Handle file, h5::CreateNewFile(path));
    return std::unique_ptr<Hdf5Writer>(std::make_unique<Writer>(std::move(file), path));
  }
};

}  // namespace
}  // namespace dfrun

extern "C" const dfrun::Hdf5Library* dfrun_hdf5_part() {
  static const dfrun::Library& library = *new dfrun::Library();
  return &library;
}
