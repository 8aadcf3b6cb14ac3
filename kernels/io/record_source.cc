#include "kernels/io/record_source.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "kernels/files/matching_paths.h"
#include "kernels/strings/parse_number.h"
#include "src/base/log.h"

namespace dfrun {
namespace {

// Files are kept in memory while all of them together have no more: random records of a file cost a system call each.
constexpr size_t kKeepBytes = size_t{256} << 20;
// More files than this are opened when they are read.
constexpr size_t kMaxOpenFiles = 256;
constexpr int64_t kMaxReports = 10;

class RecordSource final : public SampleSource {
 public:
  RecordSource(std::vector<std::string> files, Compression compression, bool skips_errors,
               std::unique_ptr<RecordFormat> format, std::unique_ptr<RecordDecoder> decoder)
      : paths_(std::move(files)),
        compression_(compression),
        skips_errors_(skips_errors),
        format_(std::move(format)),
        decoder_(std::move(decoder)) {}

  const std::vector<std::string>& files() const override { return paths_; }

  Status AddField(SampleField& field) override {
    DF_TRY(decoder_->AddField(field));
    if (!field.shape.known_rank()) return InvalidArgument("'", field.from, "' needs a shape");
    fields_.push_back(field);
    if (!field.fallback) return Status();
    Tensor one(field.dtype, Shape());
    return FillWithFallback(field, one, 0, 1);
  }

  Result<Counts> Count() override { return Index(0, true); }
  Result<Counts> Load() override { return Index(kKeepBytes, false); }
  bool IsShortCopy(int64_t) const override { return false; }

  Result<std::vector<Tensor>> Gather(std::span<const int64_t> samples, Allocator& allocator) override {
    DF_ASSIGN(BatchBuilder batch, BatchBuilder::Create(fields_, static_cast<int64_t>(samples.size()), allocator));
    Reading reading;
    for (size_t i = 0; i < samples.size(); ++i) {
      const Place& place = places_[static_cast<size_t>(samples[i])];
      DF_TRY(MoveTo(place.file, reading));
      const Status status = Decode(*reading.cursor, place.span, static_cast<int64_t>(i), batch);
      if (!status.ok()) return Named(status, paths_[place.file], place.number, place.span.offset);
    }
    return batch.Finish();
  }

 private:
  struct Place {
    uint32_t file = 0;
    uint32_t number = 0;  // of the record in its file
    RecordSpan span;
  };
  // The file that a Gather() is at, opened for it where it is not kept.
  struct Reading {
    std::optional<uint32_t> file;
    ByteFile opened;
    std::optional<FileCursor> cursor;
  };

  static Status Named(const Status& status, const std::string& path, uint64_t number, uint64_t at) {
    return status.Annotate(StrCat(path, ", record ", number, " at byte ", at));
  }

  Status MoveTo(uint32_t file, Reading& reading) const {
    if (reading.file == file) return Status();
    const ByteFile* kept = file < kept_.size() && kept_[file] ? &*kept_[file] : nullptr;
    if (kept == nullptr) {
      DF_ASSIGN(reading.opened, ByteFile::Open(paths_[file], compression_, 0));
      kept = &reading.opened;
    }
    reading.cursor.emplace(*kept);
    reading.file = file;
    return Status();
  }

  Status Decode(FileCursor& cursor, const RecordSpan& span, int64_t i, BatchBuilder& batch) const {
    DF_ASSIGN(const std::string_view bytes, format_->Read(cursor, span));
    return decoder_->Decode({bytes, cursor.file().path()}, i, batch);
  }

  // Whether all fields of a record can be made.
  Status Try(FileCursor& cursor, const RecordSpan& span) const {
    DF_ASSIGN(BatchBuilder batch, BatchBuilder::Create(fields_, 1, SystemAllocator()));
    return Decode(cursor, span, 0, batch);
  }

  Result<Counts> Index(size_t keep_bytes, bool reports) {
    reports_ = reports;
    counts_ = {};
    places_.clear();
    kept_.clear();
    for (uint32_t file = 0; file < paths_.size(); ++file) {
      Result<ByteFile> opened = ByteFile::Open(paths_[file], compression_, keep_bytes);
      if (!opened.ok()) {
        DF_TRY(Skip(opened.status()));
        continue;
      }
      DF_TRY(IndexFile(file, *opened));
      const bool keeps = keep_bytes > 0 && (opened->in_memory() || paths_.size() <= kMaxOpenFiles);
      if (opened->in_memory()) keep_bytes -= std::min<size_t>(keep_bytes, opened->size());
      if (!keeps) continue;
      kept_.resize(paths_.size());
      kept_[file] = *std::move(opened);
    }
    counts_.samples = static_cast<int64_t>(places_.size());
    return counts_;
  }

  Status IndexFile(uint32_t file, const ByteFile& bytes) {
    FileCursor cursor(bytes);
    uint64_t at = format_->Begin();
    for (uint32_t number = 0;; ++number) {
      Place place{file, number, {}};
      const uint64_t begin = at;
      const Result<bool> found = format_->Find(cursor, at, place.span);
      // What comes after a record whose end is unknown cannot be found either.
      if (!found.ok()) return Skip(Named(found.status(), paths_[file], number, begin));
      if (!*found) return Status();
      if (const Status good = skips_errors_ ? Try(cursor, place.span) : Status(); !good.ok()) {
        DF_TRY(Skip(Named(good, paths_[file], number, begin)));
      } else {
        places_.push_back(place);
      }
    }
  }

  // Leaves something out for an error, where that is asked for.
  Status Skip(Status error) {
    if (!skips_errors_) return error;
    ++counts_.skipped;
    if (reports_ && counts_.skipped <= kMaxReports) {
      DF_LOG(kWarning) << "left out: " << error.message();
    }
    return Status();
  }

  const std::vector<std::string> paths_;
  const Compression compression_;
  const bool skips_errors_;
  const std::unique_ptr<RecordFormat> format_;
  const std::unique_ptr<RecordDecoder> decoder_;
  std::vector<SampleField> fields_;
  std::vector<Place> places_;                  // of every good record
  std::vector<std::optional<ByteFile>> kept_;  // by file
  Counts counts_;
  bool reports_ = false;
};

}  // namespace

std::vector<SampleOption> RecordOptions(std::vector<SampleOption> own) {
  own.push_back({.name = "compression", .choices = {"none", "gzip", "zlib"}});
  own.push_back({.name = "on_error", .choices = {"fail", "skip"}});
  return own;
}

int64_t IntOption(const SampleConfig& config, std::string_view name, int64_t otherwise) {
  int64_t value = otherwise;
  auto it = config.options.find(name);
  return it != config.options.end() && ParseNumber(it->second, value) ? value : otherwise;
}

std::string TextOption(const SampleConfig& config, std::string_view name, std::string_view otherwise) {
  auto it = config.options.find(name);
  return it == config.options.end() ? std::string(otherwise) : it->second;
}

Result<Compression> CompressionOf(const SampleConfig& config) {
  return ParseCompression(TextOption(config, "compression", "none"));
}

Result<std::vector<std::string>> ExpandFiles(const std::vector<std::string>& patterns) {
  std::vector<std::string> files;
  for (const std::string& pattern : patterns) {
    if (pattern.find_first_of("*?[") == std::string::npos || std::filesystem::exists(pattern)) {
      files.push_back(pattern);
      continue;
    }
    const std::vector<std::string> found = MatchingPaths(pattern);
    if (found.empty()) return NotFound("no file fits ", pattern);
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

Result<std::unique_ptr<SampleSource>> MakeRecordSource(const SampleConfig& config, std::vector<std::string> files,
                                                       std::unique_ptr<RecordFormat> format,
                                                       std::unique_ptr<RecordDecoder> decoder) {
  DF_ASSIGN(const Compression compression, CompressionOf(config));
  const bool skips_errors = TextOption(config, "on_error", "fail") == "skip";
  if (!skips_errors) {
    for (const std::string& path : files) DF_TRY(FileDescriptor::OpenForReading(path).status());
  }
  return std::unique_ptr<SampleSource>(
      new RecordSource(std::move(files), compression, skips_errors, std::move(format), std::move(decoder)));
}

}  // namespace dfrun
