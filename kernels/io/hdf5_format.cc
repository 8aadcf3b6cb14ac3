// hdf5: datasets whose first dimension counts the samples.
#include <algorithm>
#include <cstring>
#include <optional>

#include "kernels/io/batch_builder.h"
#include "kernels/io/hdf5_blocks.h"
#include "src/base/mapped_file.h"
#include "src/base/mutex.h"
#include "src/framework/hdf5_file.h"
#include "src/framework/sample_source.h"

namespace dfrun {
namespace {

// Datasets that must be unpacked are read once and kept up to this size.
constexpr size_t kKeepBytes = size_t{256} << 20;
// Others are mapped while all together have no more: rows of a few hundred bytes cost a system call each otherwise.
constexpr size_t kMapBytes = size_t{1} << 30;
// So much is brought into memory before the first sample is needed.
constexpr size_t kSmallBytes = size_t{64} << 20;
// Copying this much takes about as long as a sleeping thread takes to run (20 us).
constexpr size_t kShortCopyBytes = size_t{128} << 10;

class Hdf5Samples final : public SampleSource {
 public:
  static Result<std::unique_ptr<SampleSource>> Open(const SampleConfig& config) {
    auto samples = std::make_unique<Hdf5Samples>();
    samples->paths_ = config.files;
    const bool follows_all =
        config.options.find("external") != config.options.end() && config.options.find("external")->second == "true";
    DF_ASSIGN(samples->hdf5_, Hdf5File::Open(samples->path(), {.follows_all = follows_all}));
    return std::unique_ptr<SampleSource>(std::move(samples));
  }

  const std::vector<std::string>& files() const override { return paths_; }

  Status AddField(SampleField& field) override {
    Dataset dataset;
    dataset.name = field.from;
    DF_ASSIGN(dataset.info, hdf5_->Inspect(field.from));
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

  Result<SampleCensus> Count() override {
    SampleCensus census;
    census.pieces.push_back({0, 0, num_samples_});
    return census;
  }

  Result<int64_t> Load(const SampleCensus&) override {
    DF_TRY(MapDatasets());
    for (Dataset& dataset : datasets_) {
      if (dataset.rows != nullptr || dataset.info.contiguous) continue;
      if (IsPlain(dataset.info.dtype) && BytesOf(dataset) > kKeepBytes) {
        dataset.blocks.emplace(dataset.name, dataset.info);
        continue;
      }
      DF_ASSIGN(dataset.kept, hdf5_->Read(dataset.name, SystemAllocator()));
      if (IsPlain(dataset.info.dtype)) dataset.rows = static_cast<const char*>(dataset.kept.raw());
    }
    const auto is_unpacked_later = [](const Dataset& dataset) { return dataset.blocks.has_value(); };
    if (std::none_of(datasets_.begin(), datasets_.end(), is_unpacked_later)) hdf5_->CloseStructure();
    return num_samples_;
  }

  bool IsShortCopy(int64_t samples) const override {
    size_t bytes = 0;
    for (const Dataset& dataset : datasets_) {
      if (dataset.rows == nullptr) return false;
      bytes += dataset.row_bytes;
    }
    return (!mapped_.is_mapped() || is_touched_) && bytes * static_cast<size_t>(samples) <= kShortCopyBytes;
  }

  Result<std::vector<Tensor>> Gather(std::span<const int64_t> samples, Allocator& allocator) override {
    std::vector<Tensor> batch;
    for (Dataset& dataset : datasets_) {
      Shape shape = dataset.info.shape;
      shape.set_dim(0, static_cast<int64_t>(samples.size()));
      DF_ASSIGN(Tensor rows, Tensor::Allocate(allocator, dataset.info.dtype, shape));
      DF_TRY(GatherRows(dataset, samples, rows));
      batch.push_back(std::move(rows));
    }
    DF_TRY(mapped_.Check(hdf5_->bytes()));
    return batch;
  }

 private:
  struct Dataset {
    std::string name;
    DatasetInfo info;
    size_t row_bytes = 0;
    const char* rows = nullptr;  // the whole dataset, mapped or in `kept`
    Tensor kept;
    std::optional<Hdf5Blocks> blocks;  // held with mu_; of a large one that must be unpacked
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

  size_t BytesOf(const Dataset& dataset) const { return dataset.row_bytes * static_cast<size_t>(num_samples_); }

  Status MapDatasets() {
    uint64_t bytes = 0;
    uint64_t end = 0;
    DF_ASSIGN(const uint64_t size, hdf5_->bytes().Size());
    for (const Dataset& dataset : datasets_) {
      if (!dataset.info.contiguous) continue;
      if (BytesOf(dataset) > size || dataset.info.offset > size - BytesOf(dataset)) {
        return Error(Code::kDataLoss, path(), " has ", size, " bytes: it ends before its dataset '", dataset.name, "'");
      }
      bytes += BytesOf(dataset);
      end = std::max(end, dataset.info.offset + BytesOf(dataset));
    }
    if (bytes == 0 || bytes > kMapBytes) return Status();
    mapped_ = MappedFile::Map(hdf5_->bytes(), end);
    is_touched_ = bytes <= kSmallBytes;
    for (Dataset& dataset : datasets_) {
      if (!mapped_.is_mapped() || !dataset.info.contiguous) continue;
      dataset.rows = mapped_.bytes().data() + dataset.info.offset;
      if (is_touched_) mapped_.Touch(dataset.info.offset, BytesOf(dataset));
      if (!is_touched_) mapped_.ReadAhead(dataset.info.offset, BytesOf(dataset));
    }
    return Status();
  }

  Status GatherRows(Dataset& dataset, std::span<const int64_t> rows, Tensor& to) {
    if (dataset.info.dtype == DType::kString) return GatherStrings(dataset, rows, to);
    char* at = static_cast<char*>(to.raw());
    const size_t bytes = dataset.row_bytes;
    if (dataset.blocks) {
      MutexLock lock(mu_);
      DF_TRY(dataset.blocks->Gather(*hdf5_, rows, to));
    } else if (dataset.rows != nullptr) {
      for (const int64_t row : rows) {
        std::memcpy(at, dataset.rows + static_cast<size_t>(row) * bytes, bytes);
        at += bytes;
      }
    } else {
      for (const int64_t row : rows) {
        const Status read = hdf5_->bytes().ReadAt(dataset.info.offset + static_cast<uint64_t>(row) * bytes, at, bytes);
        if (!read.ok()) return read.Annotate(StrCat("sample ", row, " of '", dataset.name, "'"));
        at += bytes;
      }
    }
    // A file may hold any byte; a true bool has one representation.
    if (to.dtype() == DType::kBool) BatchBuilder::Room{&to, 0}.Fill({to.data<char>(), to.values<bool>().size()});
    return Status();
  }

  static Status GatherStrings(const Dataset& dataset, std::span<const int64_t> rows, Tensor& to) {
    const int64_t row_elements = dataset.info.shape.num_elements() / dataset.info.shape[0];
    std::string* at = to.data<std::string>();
    for (const int64_t row : rows) {
      at = std::copy_n(dataset.kept.data<std::string>() + row * row_elements, row_elements, at);
    }
    return Status();
  }

  std::vector<std::string> paths_;
  std::unique_ptr<Hdf5File> hdf5_;  // but for its bytes held with mu_ in Gather()
  MappedFile mapped_;               // of its bytes, where the datasets are not too large
  bool is_touched_ = false;         // all mapped datasets are in memory
  std::vector<Dataset> datasets_;
  int64_t num_samples_ = 0;
  Mutex mu_;
};

SAMPLE_FORMAT(SampleFormat{.name = "hdf5",
                           .options = {{.name = "external", .kind = SampleOption::Kind::kBool}},
                           .one_file = true,
                           .open = &Hdf5Samples::Open});

}  // namespace
}  // namespace dfrun
