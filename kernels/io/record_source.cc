#include "kernels/io/record_source.h"

#include <filesystem>
#include <optional>

#include "kernels/files/matching_paths.h"
#include "kernels/io/first_reading.h"
#include "kernels/io/record_files.h"
#include "kernels/io/record_index.h"
#include "kernels/strings/parse_number.h"
#include "src/base/log.h"
#include "src/base/sort_unique.h"

namespace dfrun {
namespace {

class RecordSource final : public SampleSource {
 public:
  explicit RecordSource(RecordSet set) : set_(std::move(set)) {}

  const std::vector<std::string>& files() const override { return set_.paths; }

  Status AddField(SampleField& field) override {
    DF_TRY(set_.decoder->AddField(field));
    if (!field.shape.known_rank()) return InvalidArgument("'", field.from, "' needs a shape");
    set_.fields.push_back(field);
    if (!field.fallback) return Status();
    Tensor one(field.dtype, Shape());
    return FillWithFallback(field, one, 0, 1);
  }

  SampleOptions Settled() const override { return set_.decoder->Settled(); }

  Result<RecordIndex> Count() override {
    if (const std::string warning = set_.decoder->Warning(); !warning.empty()) DF_LOG(kWarning) << warning;
    return BuildRecordIndex(set_, true);
  }

  Result<int64_t> Load(const RecordIndex& record_index) override {
    RecordIndex own;
    if (record_index.pieces.empty()) {
      DF_ASSIGN(own, BuildRecordIndex(set_, false));
    }
    DF_ASSIGN(files_, RecordFiles::Create(set_.paths, set_.compression, *set_.format,
                                          record_index.pieces.empty() ? own : record_index));
    DF_ASSIGN(const std::optional<uint64_t> bytes, files_->LoadIfSmall());
    if (bytes && set_.decoder->IsCopy() && files_->samples() > 0) {
      record_bytes_ = static_cast<double>(*bytes) / static_cast<double>(files_->samples());
    }
    first_ = std::make_unique<FirstReading>(files_->samples());
    return files_->samples();
  }

  bool IsShortCopy(int64_t samples) const override {
    return record_bytes_ && *record_bytes_ * static_cast<double>(samples) <= kShortCopyBytes;
  }

  Result<std::vector<Tensor>> Gather(std::span<const int64_t> samples, Allocator& allocator) override {
    DF_ASSIGN(BatchBuilder batch, BatchBuilder::Create(set_.fields, static_cast<int64_t>(samples.size()), allocator));
    DF_ASSIGN(const std::vector<RecordFiles::Location> locations, files_->Find(samples));
    Reading reading;
    for (size_t i = 0; i < locations.size(); ++i) {
      DF_TRY(MoveTo(locations[i].file, reading));
      if (i + 1 < locations.size() && locations[i + 1].file == locations[i].file) {
        reading.cursor->Prefetch(locations[i + 1].span.offset, locations[i + 1].span.bytes);
      }
      const Status status = Decode(*reading.cursor, locations[i].span, samples[i], static_cast<int64_t>(i), batch);
      if (status.ok()) continue;
      DF_TRY(reading.cursor->file().Check());
      return files_->Name(status, *reading.cursor, locations[i]);
    }
    DF_TRY(CheckFiles(reading));
    return batch.Finish();
  }

 private:
  // The file that a Gather() is at, opened for it where it is not kept.
  struct Reading {
    std::optional<uint32_t> file;
    ByteFile opened;
    std::optional<FileCursor> cursor;
    std::vector<const ByteFile*> kept;  // all that were read
  };

  Status MoveTo(uint32_t file, Reading& reading) const {
    if (reading.file == file) return Status();
    DF_ASSIGN(const ByteFile* const found, files_->File(file, reading.opened));
    if (found != &reading.opened) reading.kept.push_back(found);
    reading.cursor.emplace(*found);
    reading.file = file;
    return Status();
  }

  static Status CheckFiles(Reading& reading) {
    std::vector<const ByteFile*>& kept = reading.kept;
    SortUnique(kept);
    for (const ByteFile* file : kept) DF_TRY(file->Check());
    return Status();
  }

  Status Decode(FileCursor& cursor, const RecordSpan& span, int64_t sample, int64_t i, BatchBuilder& batch) const {
    DF_ASSIGN(const std::string_view bytes, set_.format->Read(cursor, span));
    if (!first_->IsSame(sample, bytes.data(), bytes.size())) return Error(Code::kDataLoss, kReadOtherwise);
    return set_.decoder->Decode({bytes, cursor.file().path()}, i, batch);
  }

  RecordSet set_;
  std::unique_ptr<RecordFiles> files_;   // after Load()
  std::unique_ptr<FirstReading> first_;  // after Load()
  std::optional<double> record_bytes_;   // on average, where all are in memory and a batch is a copy of them
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

std::optional<std::vector<std::string>> TextsOption(const SampleConfig& config, std::string_view name) {
  const auto it = config.options.find(name);
  if (it == config.options.end()) return {};
  std::vector<std::string> texts;
  for (size_t at = 0; at < it->second.size();) {
    const size_t end = std::min(it->second.find('\n', at), it->second.size());
    texts.push_back(it->second.substr(at, end - at));
    at = end + 1;
  }
  return texts;
}

Result<Compression> CompressionOf(const SampleConfig& config) {
  return ParseCompression(TextOption(config, "compression", "none"));
}

bool SkipsErrors(const SampleConfig& config) {
  return TextOption(config, "on_error", "fail") == "skip";
}

Result<std::vector<std::string>> ExpandFiles(const std::vector<std::string>& patterns) {
  std::vector<std::string> files;
  std::error_code error;
  for (const std::string& pattern : patterns) {
    if (pattern.find_first_of("*?[") == std::string::npos || std::filesystem::exists(pattern, error)) {
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
  RecordSet set;
  set.paths = std::move(files);
  set.compression = compression;
  set.skips_errors = SkipsErrors(config);
  set.format = std::move(format);
  set.decoder = std::move(decoder);
  return std::unique_ptr<SampleSource>(new RecordSource(std::move(set)));
}

}  // namespace dfrun
