#include "kernels/io/record_index.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "kernels/io/record_files.h"
#include "src/base/host/host_limits.h"
#include "src/base/log.h"

namespace dfrun {
namespace {

constexpr int64_t kMaxReports = 10;
// Files that are looked through at once: they wait for the disk or for memory rather than for the processor.
constexpr size_t kMaxThreads = 8;
// A piece ends with the record that exceeds this: finding its records again takes milliseconds.
constexpr uint64_t kPieceBytes = uint64_t{64} << 20;

// The records of one file; the file of its pieces, and its left_out, are to be completed.
struct FileIndex {
  RecordIndex record_index;
  std::vector<Status> errors;  // the first ones
  Status status;               // the error, if errors are not skipped
};

class FileCounter {
 public:
  FileCounter(const RecordSet& set, size_t file) : set_(set), file_(file), path_(set.paths[file]) {}

  FileIndex Run() {
    result_.status = Count();
    return std::move(result_);
  }

 private:
  Status Count() {
    const Result<ByteFile> file = ByteFile::Open(path_, set_.compression, SIZE_MAX);
    if (!file.ok()) return Skip([&] { return file.status(); });
    Status found = FindAll(*file);
    DF_TRY(file->Check());
    return found;
  }

  Status FindAll(const ByteFile& file) {
    FileCursor cursor(file);
    if (!set_.format->BeginsWithAnything()) {
      if (const Status plain = CheckNotZipped(cursor); !plain.ok()) return Skip([&] { return plain; });
    }
    uint64_t at = set_.format->Begin();
    for (int64_t number = 0;; ++number) {
      const uint64_t begin = at;
      RecordSpan span;
      const Result<bool> found = set_.format->Find(cursor, at, span);
      // Records after one whose end is unknown cannot be found either.
      if (!found.ok()) return SkipRest(cursor, found.status(), number, begin);
      if (!*found) return Status();
      AddRecord(begin);
      DF_ASSIGN(const bool is_tried, IsTried(cursor, span, number));
      const Status good = is_tried ? Try(cursor, span) : Status();
      if (good.ok()) continue;
      const auto name = [&] { return NameRecord(good, *set_.format, cursor, number, span.offset); };
      if (good.code() == Code::kNoInput) return name();  // an error of the fields, which leaves no record out
      result_.record_index.left_out.push_back(number);
      DF_TRY(Skip(name));
    }
  }

  // A first record that cannot be made tells of fields that do not suit the files.
  Result<bool> IsTried(FileCursor& cursor, const RecordSpan& span, int64_t number) const {
    if (set_.skips_errors) return true;
    if (span.bytes > kPieceBytes) return false;
    if (file_ == 0 && number == 0) return true;
    if (!set_.decoder->LooksAtRecords()) return false;
    DF_ASSIGN(const std::string_view bytes, set_.format->Read(cursor, span));
    return set_.decoder->MayRefuse(bytes);
  }

  void AddRecord(uint64_t begin) {
    std::vector<RecordIndex::Piece>& pieces = result_.record_index.pieces;
    if (pieces.empty() || begin - static_cast<uint64_t>(pieces.back().begin) > kPieceBytes) {
      pieces.push_back({0, static_cast<int64_t>(begin), 0});
    }
    ++pieces.back().records;
  }

  // Decodes a record to find out if all its fields can be made.
  Status Try(FileCursor& cursor, const RecordSpan& span) {
    DF_ASSIGN(BatchBuilder batch, BatchBuilder::Create(set_.fields, 1, SystemAllocator()));
    DF_ASSIGN(const std::string_view bytes, set_.format->Read(cursor, span));
    return set_.decoder->Decode({bytes, path_}, 0, batch);
  }

  // Leaves a record out for an error, if errors are skipped. `error` makes the Status, which is made only if it is
  // reported.
  template <class MakeError>
  Status Skip(MakeError&& error) {
    if (!set_.skips_errors) return error();
    if (++result_.record_index.skipped <= kMaxReports) result_.errors.push_back(error());
    return Status();
  }

  // Skips the record that begins at `at` and those that follow it.
  Status SkipRest(FileCursor& cursor, const Status& found, int64_t number, uint64_t at) {
    const Status error = NameRecord(found, *set_.format, cursor, number, at);
    if (!set_.skips_errors) return error;
    DF_ASSIGN(const int64_t lost, set_.format->CountLost(cursor, at));
    result_.record_index.skipped += lost;
    return Skip([&] {
      if (lost == 0) return error;
      const char* const records = lost == 1 ? " record" : " records";
      return Status(error.code(), StrCat(error.message(), ", and ", lost, records, " that follow it"));
    });
  }

  const RecordSet& set_;
  const size_t file_;
  const std::string& path_;
  FileIndex result_;
};

std::vector<FileIndex> CountFiles(const RecordSet& set) {
  std::vector<FileIndex> files(set.paths.size());
  std::atomic<size_t> next{0};
  std::atomic<bool> failed{false};
  const auto work = [&] {
    for (size_t file = next++; file < files.size() && !failed; file = next++) {
      files[file] = FileCounter(set, file).Run();
      if (!files[file].status.ok()) failed = true;  // files before it have been begun, and are counted to their end
    }
  };
  std::vector<std::thread> threads;
  const auto cores = static_cast<size_t>(LimitsOfHost().cores);
  while (threads.size() + 1 < std::min({files.size(), cores, kMaxThreads})) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  return files;
}

}  // namespace

Result<RecordIndex> BuildRecordIndex(const RecordSet& set, bool reports) {
  RecordIndex all;
  int64_t records = 0;
  int64_t reported = 0;
  std::vector<FileIndex> files = CountFiles(set);
  for (size_t file = 0; file < files.size(); ++file) {
    DF_TRY(std::move(files[file].status));
    for (const Status& error : files[file].errors) {
      if (!reports || reported++ >= kMaxReports) break;
      DF_LOG(kWarning) << "left out: " << error.message();
    }
    const RecordIndex& record_index = files[file].record_index;
    for (const int64_t number : record_index.left_out) all.left_out.push_back(records + number);
    for (const RecordIndex::Piece& piece : record_index.pieces) {
      all.pieces.push_back({static_cast<int64_t>(file), piece.begin, piece.records});
      records += piece.records;
    }
    all.skipped += record_index.skipped;
  }
  return all;
}

}  // namespace dfrun
