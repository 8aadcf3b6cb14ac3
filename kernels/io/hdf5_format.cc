// hdf5: datasets whose first dimension counts the samples.
#include <algorithm>
#include <cstring>

#include "src/base/file.h"
#include "src/base/hdf5.h"
#include "src/base/mutex.h"
#include "src/framework/sample_source.h"
#include "src/framework/tensor_hdf5.h"

namespace dfrun {
namespace {

// Datasets up to this size are read once and kept: gathering rows of a few hundred bytes from the file costs a system
// call each.
constexpr size_t kKeepBytes = size_t{256} << 20;
// Copying this much takes about as long as a sleeping thread takes to run (20 us).
constexpr size_t kShortCopyBytes = size_t{128} << 10;

class Hdf5Samples final : public SampleSource {
 public:
  static Result<std::unique_ptr<SampleSource>> Open(const SampleConfig& config) {
    auto samples = std::make_unique<Hdf5Samples>();
    samples->paths_ = config.files;
    DF_ASSIGN(samples->hdf5_, h5::OpenFile(samples->path()));
    DF_ASSIGN(samples->bytes_, FileDescriptor::OpenForReading(samples->path()));
    return std::unique_ptr<SampleSource>(std::move(samples));
  }

  const std::vector<std::string>& files() const override { return paths_; }

  Status AddField(SampleField& field) override {
    Dataset dataset;
    dataset.name = field.from;
    DF_ASSIGN(dataset.info, InspectDataset(hdf5_, path(), field.from));
    const Shape& shape = dataset.info.shape;
    if (shape.rank() == 0) {
      return InvalidArgument("'", field.from, "' is a scalar: samples are rows of a first dimension");
    }
    if (!datasets_.empty() && shape[0] != num_samples_) {
      return InvalidArgument("'", field.from, "' has ", shape[0], " samples, but '", datasets_[0].name, "' has ",
                             num_samples_);
    }
    if (shape[0] == 0) return InvalidArgument("'", field.from, "' has no samples");
    num_samples_ = shape[0];
    DF_TRY(Settle(dataset.info.dtype, Shape(shape.dims().subspan(1)), field));
    dataset.row_bytes = static_cast<size_t>(shape.num_elements() / shape[0]) * DTypeSize(field.dtype);
    datasets_.push_back(std::move(dataset));
    return Status();
  }

  Result<Counts> Count() override { return Counts{num_samples_, 0}; }

  Result<Counts> Load() override {
    for (Dataset& dataset : datasets_) {
      const bool is_small = dataset.row_bytes * static_cast<size_t>(num_samples_) <= kKeepBytes;
      if (!is_small && IsPlain(dataset.info.dtype)) continue;
      DF_ASSIGN(dataset.kept, ReadTensor(hdf5_, path(), dataset.name, SystemAllocator()));
    }
    return Count();
  }

  bool IsShortCopy(int64_t samples) const override {
    size_t bytes = 0;
    for (const Dataset& dataset : datasets_) {
      if (!dataset.kept.initialized()) return false;
      bytes += dataset.row_bytes;
    }
    return bytes * static_cast<size_t>(samples) <= kShortCopyBytes;
  }

  Result<std::vector<Tensor>> Gather(std::span<const int64_t> samples, Allocator& allocator) override {
    std::vector<Tensor> batch;
    for (const Dataset& dataset : datasets_) {
      DF_ASSIGN(Tensor rows, GatherRows(dataset, samples, allocator));
      batch.push_back(std::move(rows));
    }
    return batch;
  }

 private:
  struct Dataset {
    std::string name;
    DatasetInfo info;
    size_t row_bytes = 0;
    Tensor kept;  // the whole dataset, where it is small
  };

  const std::string& path() const { return paths_[0]; }

  static Status Settle(DType dtype, const Shape& sample, SampleField& field) {
    if (field.dtype != DType::kInvalid && field.dtype != dtype) {
      return InvalidArgument("'", field.from, "' is ", dtype, ", but ", field.dtype, " is declared");
    }
    if (!field.shape.IsCompatibleWith(sample)) {
      return InvalidArgument("'", field.from, "' has samples of shape ", sample, ", but ", field.shape, " is declared");
    }
    field.dtype = dtype;
    field.shape = sample;
    return Status();
  }

  Result<Tensor> GatherRows(const Dataset& dataset, std::span<const int64_t> rows, Allocator& allocator) {
    Shape shape = dataset.info.shape;
    const int64_t row_elements = shape.num_elements() / shape.dim(0);
    shape.set_dim(0, static_cast<int64_t>(rows.size()));
    DF_ASSIGN(Tensor out, Tensor::Allocate(allocator, dataset.info.dtype, shape));
    const size_t bytes = dataset.row_bytes;
    for (size_t i = 0; i < rows.size(); ++i) {
      char* to = static_cast<char*>(out.raw()) + i * bytes;
      if (out.dtype() == DType::kString) {
        const std::string* from = dataset.kept.data<std::string>() + rows[i] * row_elements;
        std::copy_n(from, row_elements, out.data<std::string>() + static_cast<int64_t>(i) * row_elements);
      } else if (dataset.kept.initialized()) {
        std::memcpy(to, dataset.kept.data<char>() + static_cast<size_t>(rows[i]) * bytes, bytes);
      } else if (dataset.info.contiguous) {
        DF_TRY(bytes_.ReadAt(dataset.info.offset + static_cast<uint64_t>(rows[i]) * bytes, to, bytes));
      } else {
        Tensor row = out.SliceRows(static_cast<int64_t>(i), static_cast<int64_t>(i) + 1);
        MutexLock lock(mu_);
        DF_TRY(ReadRows(hdf5_, path(), dataset.name, rows[i], row));
      }
    }
    return out;
  }

  std::vector<std::string> paths_;
  h5::Handle hdf5_;  // held with mu_ in Gather()
  FileDescriptor bytes_;
  std::vector<Dataset> datasets_;
  int64_t num_samples_ = 0;
  Mutex mu_;
};

SAMPLE_FORMAT(SampleFormat{.name = "hdf5", .one_file = true, .open = &Hdf5Samples::Open});

}  // namespace
}  // namespace dfrun
