// hdf5: datasets whose first dimension counts the samples, in one or more files.
#include <algorithm>
#include <numeric>
#include <utility>

#include "kernels/io/hdf5_sample_file.h"
#include "kernels/io/record_source.h"

namespace dfrun {
namespace {

// Copying this much takes about as long as a sleeping thread takes to run (20 us).
constexpr size_t kShortCopyBytes = size_t{128} << 10;
// Of more files those used last are open.
constexpr size_t kMaxOpenFiles = 64;

class Hdf5Samples final : public SampleSource {
 public:
  Hdf5Samples(std::vector<std::string> paths, Hdf5Rules rules)
      : paths_(std::move(paths)), rules_(std::move(rules)), files_(paths_.size()) {}

  static Result<std::unique_ptr<SampleSource>> Open(const SampleConfig& config) {
    DF_ASSIGN(std::vector<std::string> paths, ExpandFiles(config.files));
    const bool follows_all = TextOption(config, "external", "false") == "true";
    auto samples = std::make_unique<Hdf5Samples>(std::move(paths), Hdf5Rules{.follows_all = follows_all});
    DF_ASSIGN(samples->first_, Hdf5SampleFile::Open(samples->paths_[0], samples->rules_));
    return std::unique_ptr<SampleSource>(std::move(samples));
  }

  const std::vector<std::string>& files() const override { return paths_; }

  // The first file settles what is open.
  Status AddField(SampleField& field) override {
    declares_dtype_.push_back(field.dtype != DType::kInvalid);
    DF_TRY(first_->AddField(field));
    fields_.push_back(field);
    return Status();
  }

  Result<RecordIndex> Count() override {
    RecordIndex record_index;
    for (size_t i = 0; i < paths_.size(); ++i) {
      int64_t samples = first_->samples();
      if (i > 0) {
        DF_ASSIGN(const std::unique_ptr<Hdf5SampleFile> file, OpenFurther(i));
        samples = file->samples();
      }
      record_index.pieces.push_back({static_cast<int64_t>(i), 0, samples});
    }
    return record_index;
  }

  Result<int64_t> Load(const RecordIndex& given) override {
    RecordIndex record_index = given;
    if (record_index.pieces.empty()) {
      DF_ASSIGN(record_index, Count());
    }
    if (record_index.pieces.size() != paths_.size() || !record_index.left_out.empty()) {
      return InvalidArgument("the samples were counted in ", record_index.pieces.size(), " files, not these ",
                             paths_.size());
    }
    for (const RecordIndex::Piece& piece : record_index.pieces) ends_.push_back(samples() + piece.records);
    DF_TRY(Prepare(0, *first_));
    MutexLock lock(mu_);
    files_[0] = {std::move(first_), 0};
    opened_ = 1;
    for (size_t i = 1; i < std::min(paths_.size(), kMaxOpenFiles); ++i) DF_TRY(OpenForUse(i));
    is_short_copy_ = paths_.size() <= kMaxOpenFiles;
    for (const Used& used : files_) {
      sample_bytes_ = 0;
      is_short_copy_ = is_short_copy_ && used.file->IsInMemory(sample_bytes_);
    }
    return samples();
  }

  bool IsShortCopy(int64_t samples) const override {
    return is_short_copy_ && sample_bytes_ * static_cast<size_t>(samples) <= kShortCopyBytes;
  }

  Result<std::vector<Tensor>> Gather(std::span<const int64_t> samples, Allocator& allocator) override {
    DF_ASSIGN(BatchBuilder batch, BatchBuilder::Create(fields_, static_cast<int64_t>(samples.size()), allocator));
    std::vector<int64_t> at(samples.size());
    std::iota(at.begin(), at.end(), 0);
    if (paths_.size() == 1) {
      DF_TRY(GatherFrom(0, samples, at, batch));
    } else {
      DF_TRY(GatherByFile(samples, at, batch));
    }
    DF_ASSIGN(std::vector<Tensor> tensors, batch.Finish());
    // A file may hold any byte; a true bool has one representation.
    for (Tensor& tensor : tensors) {
      if (tensor.dtype() != DType::kBool) continue;
      BatchBuilder::Room{&tensor, 0}.Fill({static_cast<const char*>(tensor.raw()), tensor.values<bool>().size()});
    }
    return tensors;
  }

 private:
  struct Used {
    std::shared_ptr<Hdf5SampleFile> file;
    uint64_t last_used = 0;
  };

  int64_t samples() const { return ends_.empty() ? 0 : ends_.back(); }
  int64_t BeginOf(size_t file) const { return file == 0 ? 0 : ends_[file - 1]; }

  // A file after the first, with its fields, which are as the first's.
  Result<std::unique_ptr<Hdf5SampleFile>> OpenFurther(size_t i) const {
    DF_ASSIGN(std::unique_ptr<Hdf5SampleFile> file, Hdf5SampleFile::Open(paths_[i], rules_));
    for (size_t f = 0; f < fields_.size(); ++f) {
      SampleField field = fields_[f];
      if (!declares_dtype_[f]) field.dtype = DType::kInvalid;
      if (Status added = file->AddField(field); !added.ok()) return AsOfAnother(i, added);
      if (field.dtype == fields_[f].dtype && field.shape == fields_[f].shape) continue;
      return AsOfAnother(i, NoInput("'", field.from, "' is ", field.dtype, field.shape, ", but ", fields_[f].dtype,
                                    fields_[f].shape, " there; 'dtype' has one converted"));
    }
    return file;
  }
  Status AsOfAnother(size_t i, const Status& status) const {
    // What fits the first file is not the spec's fault.
    const Code code = status.code() == Code::kInvalidArgument ? Code::kNoInput : status.code();
    return Status(code, StrCat(paths_[i], " is not as ", paths_[0], ": ", status.message()));
  }

  // Of file i, opened.
  Status Prepare(size_t i, Hdf5SampleFile& file) const {
    if (file.samples() != ends_[i] - BeginOf(i)) {
      return Error(Code::kDataLoss, paths_[i], " has ", file.samples(), " samples; when they were counted it had ",
                   ends_[i] - BeginOf(i));
    }
    return file.Load(std::min(paths_.size(), kMaxOpenFiles));
  }

  Status OpenForUse(size_t i) REQUIRES(mu_) {
    DF_ASSIGN(std::unique_ptr<Hdf5SampleFile> file, OpenFurther(i));
    DF_TRY(Prepare(i, *file));
    if (opened_ >= kMaxOpenFiles) {
      const auto is_older = [](const Used& a, const Used& b) {
        return b.file == nullptr || (a.file != nullptr && a.last_used < b.last_used);
      };
      std::min_element(files_.begin(), files_.end(), is_older)->file = nullptr;
      --opened_;
    }
    files_[i].file = std::move(file);
    ++opened_;
    return Status();
  }

  Result<std::shared_ptr<Hdf5SampleFile>> FileAt(size_t i) EXCLUDES(mu_) {
    MutexLock lock(mu_);
    if (files_[i].file == nullptr) DF_TRY(OpenForUse(i));
    files_[i].last_used = ++uses_;
    return files_[i].file;
  }

  Status GatherFrom(size_t i, std::span<const int64_t> rows, std::span<const int64_t> at, BatchBuilder& batch) {
    DF_ASSIGN(const std::shared_ptr<Hdf5SampleFile> file, FileAt(i));
    return file->Gather(rows, at, batch);
  }

  // The samples of each file together.
  Status GatherByFile(std::span<const int64_t> samples, std::vector<int64_t>& at, BatchBuilder& batch) {
    std::stable_sort(at.begin(), at.end(), [&](int64_t a, int64_t b) { return samples[a] < samples[b]; });
    std::vector<int64_t> rows;
    for (size_t begin = 0; begin < at.size(); begin += rows.size()) {
      const int64_t first = samples[static_cast<size_t>(at[begin])];
      const auto file = static_cast<size_t>(std::upper_bound(ends_.begin(), ends_.end(), first) - ends_.begin());
      rows.clear();
      for (size_t i = begin; i < at.size() && samples[static_cast<size_t>(at[i])] < ends_[file]; ++i) {
        rows.push_back(samples[static_cast<size_t>(at[i])] - BeginOf(file));
      }
      DF_TRY(GatherFrom(file, rows, std::span<const int64_t>(at).subspan(begin, rows.size()), batch));
    }
    return Status();
  }

  const std::vector<std::string> paths_;
  const Hdf5Rules rules_;
  std::vector<SampleField> fields_;        // as the first file settled them
  std::vector<bool> declares_dtype_;       // by field
  std::unique_ptr<Hdf5SampleFile> first_;  // until Load()
  std::vector<int64_t> ends_;              // after Load(): by file, the first sample after its own
  bool is_short_copy_ = false;             // all files are in memory
  size_t sample_bytes_ = 0;                // of a sample, where they are
  Mutex mu_;
  std::vector<Used> files_ GUARDED_BY(mu_);  // null where not open
  size_t opened_ GUARDED_BY(mu_) = 0;
  uint64_t uses_ GUARDED_BY(mu_) = 0;
};

SAMPLE_FORMAT(SampleFormat{
    .name = "hdf5", .options = {{.name = "external", .kind = SampleOption::Kind::kBool}}, .open = &Hdf5Samples::Open});

}  // namespace
}  // namespace dfrun
