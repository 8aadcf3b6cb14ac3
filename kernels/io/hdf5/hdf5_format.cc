// hdf5: datasets whose first dimension counts the samples, in one or more files.
#include <algorithm>
#include <list>
#include <numeric>
#include <utility>

#include "kernels/io/hdf5/hdf5_plan.h"
#include "kernels/io/hdf5/hdf5_sample_file.h"
#include "kernels/io/record_source.h"
#include "kernels/io/slow_progress.h"
#include "src/base/text.h"

namespace dfrun {
namespace {

// The number of files that cannot be read after which the others are not looked at: each may have taken a minute.
constexpr size_t kMaxBadFiles = 4;

// One error that names all files.
Status Together(const std::vector<Status>& errors) {
  std::vector<std::string> messages;
  for (const Status& error : errors) messages.push_back(error.message());
  return Status(errors[0].code(), Join(messages, "; "));
}

class Hdf5Samples final : public SampleSource {
 public:
  Hdf5Samples(std::vector<std::string> paths, Hdf5Rules rules, std::string layouts)
      : paths_(std::move(paths)), rules_(std::move(rules)), files_(paths_.size()) {
    Hdf5Layouts told = ParseLayouts(layouts);
    const bool is_of_these = !told.host.empty() && told.host == HostId() && told.files.size() == paths_.size();
    layouts_ = is_of_these ? std::move(told.files) : std::vector<std::string>(paths_.size());
  }

  static Result<std::unique_ptr<SampleSource>> Open(const SampleConfig& config) {
    DF_ASSIGN(std::vector<std::string> paths, ExpandFiles(config.files));
    const bool follows_all = TextOption(config, "external", "false") == "true";
    auto samples =
        std::make_unique<Hdf5Samples>(std::move(paths), Hdf5Rules{.follows_all = follows_all}, config.layouts);
    DF_ASSIGN(samples->first_, samples->OpenFile(0));
    DF_TRY(samples->first_->Look());
    return std::unique_ptr<SampleSource>(std::move(samples));
  }

  const std::vector<std::string>& files() const override { return paths_; }

  // Adds a field. The first file settles the parts that the spec leaves open.
  Status AddField(SampleField& field) override {
    declares_dtype_.push_back(field.dtype != DType::kInvalid);
    DF_TRY(first_->AddField(field));
    fields_.push_back(field);
    return Status();
  }

  // One helper looks at all files; a file that it does not survive has the next look at the rest.
  Result<RecordIndex> Count() override {
    RecordIndex record_index;
    std::vector<Status> errors;
    SlowProgress progress("looking at HDF5 files, " + paths_[0] + " and following", paths_.size());
    for (size_t i = 0; i < paths_.size() && errors.size() < kMaxBadFiles; ++i) {
      progress.Reach(i);
      const Result<int64_t> samples = CountIn(i);
      if (!samples.ok()) errors.push_back(samples.status());
      if (samples.ok()) record_index.pieces.push_back({static_cast<int64_t>(i), 0, *samples});
    }
    if (!errors.empty()) return Together(errors);
    return record_index;
  }

  std::string layouts() const override { return SerializeLayouts({HostId(), layouts_}); }

  Result<int64_t> Load(const RecordIndex& given) override {
    DF_ASSIGN(const RecordIndex record_index, CheckedIndex(given));
    for (const RecordIndex::Piece& piece : record_index.pieces) ends_.push_back(samples() + piece.records);
    for (size_t f = 0; f < fields_.size(); ++f) first_readings_.push_back(std::make_unique<FirstReading>(samples()));
    Hdf5Sizes sizes;
    for (const std::string& layout : layouts_) sizes.Add(ParseLayout(layout));
    plan_ = Hdf5Plan::For(sizes);
    DF_TRY(plan_.loads_all ? LoadAll() : Status());
    first_.reset();
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
    std::shared_ptr<Hdf5SampleFile> file;  // null: not open
    std::list<size_t>::iterator place;     // in order_
  };

  int64_t samples() const { return ends_.empty() ? 0 : ends_.back(); }
  int64_t BeginOf(size_t file) const { return file == 0 ? 0 : ends_[file - 1]; }

  Result<std::unique_ptr<Hdf5SampleFile>> OpenFile(size_t i) const {
    return Hdf5SampleFile::Open(paths_[i], rules_, helpers_, ParseLayout(layouts_[i]));
  }

  // A file with its fields, which are as the first's.
  Result<std::unique_ptr<Hdf5SampleFile>> OpenWithFields(size_t i) const {
    DF_ASSIGN(std::unique_ptr<Hdf5SampleFile> file, OpenFile(i));
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
    // A field that fits the first file is no error of the spec.
    const Code code = status.code() == Code::kInvalidArgument ? Code::kNoInput : status.code();
    return Status(code, StrCat(paths_[i], " is not as ", paths_[0], ": ", status.message()));
  }

  Result<int64_t> CountIn(size_t i) {
    std::unique_ptr<Hdf5SampleFile> further;
    if (i > 0) {
      DF_ASSIGN(further, OpenWithFields(i));
    }
    const Hdf5SampleFile& file = i == 0 ? *first_ : *further;
    layouts_[i] = SerializeLayout(file.layout());
    return file.samples();
  }

  // The samples as they were counted, held against the files where their layouts are not known.
  Result<RecordIndex> CheckedIndex(const RecordIndex& given) {
    const bool is_known =
        std::none_of(layouts_.begin(), layouts_.end(), [](const std::string& layout) { return layout.empty(); });
    if (!given.pieces.empty() && (given.pieces.size() != paths_.size() || !given.left_out.empty())) {
      return InvalidArgument("the samples were counted in ", given.pieces.size(), " files, not these ", paths_.size());
    }
    if (!given.pieces.empty() && is_known) return given;
    DF_ASSIGN(RecordIndex found, Count());
    for (size_t i = 0; i < given.pieces.size(); ++i) {
      DF_TRY(CheckCount(i, found.pieces[i].records, given.pieces[i].records));
    }
    return found;
  }

  Status CheckCount(size_t i, int64_t found, int64_t counted) const {
    if (found == counted) return Status();
    return Error(Code::kDataLoss, paths_[i], " has ", found, " samples; when they were counted it had ", counted);
  }

  Status LoadAll() EXCLUDES(mu_) {
    SlowProgress progress("opening HDF5 files, " + paths_[0] + " and following", paths_.size());
    MutexLock lock(mu_);
    is_short_copy_ = true;
    bool unpacks_later = false;
    for (size_t i = 0; i < paths_.size(); ++i) {
      progress.Reach(i);
      DF_TRY(OpenForUse(i));
      sample_bytes_ = 0;
      is_short_copy_ = is_short_copy_ && files_[i].file->IsInMemory(sample_bytes_);
      unpacks_later = unpacks_later || files_[i].file->unpacks_later();
    }
    is_short_copy_ = is_short_copy_ && order_.size() == paths_.size();
    if (!unpacks_later) helpers_->EndIdle();
    return Status();
  }

  Status OpenForUse(size_t i) REQUIRES(mu_) {
    std::unique_ptr<Hdf5SampleFile> file;
    if (i == 0 && first_ != nullptr) {
      file = std::move(first_);
    } else {
      DF_ASSIGN(file, OpenWithFields(i));
    }
    DF_TRY(CheckCount(i, file->samples(), ends_[i] - BeginOf(i)));
    DF_TRY(file->Load(plan_));
    file->CompareWith(first_readings_, BeginOf(i));
    open_ += file->is_open() ? 1 : 0;
    kept_bytes_ += file->kept_bytes();
    order_.push_front(i);
    files_[i] = {std::move(file), order_.begin()};
    while ((open_ > plan_.most_open || kept_bytes_ > plan_.most_kept) && order_.size() > 1) CloseOldest();
    return Status();
  }

  void CloseOldest() REQUIRES(mu_) {
    const Hdf5SampleFile& oldest = *files_[order_.back()].file;
    open_ -= oldest.is_open() ? 1 : 0;
    kept_bytes_ -= oldest.kept_bytes();
    files_[order_.back()].file = nullptr;
    order_.pop_back();
  }

  Result<std::shared_ptr<Hdf5SampleFile>> FileAt(size_t i) EXCLUDES(mu_) {
    MutexLock lock(mu_);
    if (files_[i].file == nullptr) {
      DF_TRY(OpenForUse(i));
    } else {
      order_.splice(order_.begin(), order_, files_[i].place);
    }
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
  const std::shared_ptr<Hdf5Helpers> helpers_ = std::make_shared<Hdf5Helpers>();
  std::vector<std::string> layouts_;              // by file, serialized; empty: not known
  std::vector<SampleField> fields_;               // settled by the first file
  std::vector<bool> declares_dtype_;              // by field
  std::unique_ptr<Hdf5SampleFile> first_;         // until Load()
  std::vector<int64_t> ends_;                     // after Load(): by file, the first sample after its own
  Hdf5SampleFile::FirstReadings first_readings_;  // after Load(): by field
  Hdf5Plan plan_;                                 // after Load()
  bool is_short_copy_ = false;                    // all files are in memory
  size_t sample_bytes_ = 0;                       // bytes of a sample, if is_short_copy_
  Mutex mu_;
  std::vector<Used> files_ GUARDED_BY(mu_);
  std::list<size_t> order_ GUARDED_BY(mu_);  // files that are open or kept, the last used first
  size_t open_ GUARDED_BY(mu_) = 0;          // number of open files in order_
  size_t kept_bytes_ GUARDED_BY(mu_) = 0;    // bytes kept by the files in order_
};

SAMPLE_FORMAT(SampleFormat{
    .name = "hdf5", .options = {{.name = "external", .kind = SampleOption::Kind::kBool}}, .open = &Hdf5Samples::Open});

}  // namespace
}  // namespace dfrun
