#include "kernels/io/record_files.h"

#include <algorithm>

namespace dfrun {
namespace {

// Files are mapped while all of them together have no more: random records of others cost a system call each.
constexpr uint64_t kMapBytes = uint64_t{1} << 30;
// More files than this are opened when they are read.
constexpr size_t kMaxOpenFiles = 256;
// Bytes that are brought into memory before the first sample is needed.
constexpr uint64_t kSmallBytes = uint64_t{64} << 20;

Status CheckRecordIndex(const RecordIndex& record_index, size_t files) {
  int64_t records = 0;
  for (const RecordIndex::Piece& piece : record_index.pieces) {
    if (piece.file < 0 || piece.file >= static_cast<int64_t>(files) || piece.begin < 0 || piece.records < 0 ||
        piece.records > INT64_MAX - records) {
      return InvalidArgument("the samples were counted in other files: ", piece.records, " records from byte ",
                             piece.begin, " of file ", piece.file, " of ", files);
    }
    records += piece.records;
  }
  int64_t least = 0;
  for (const int64_t number : record_index.left_out) {
    if (number < least || number >= records) {
      return InvalidArgument("there is no record ", number, " of ", records, " to be left out");
    }
    least = number + 1;
  }
  return Status();
}

// The number of the line that begins at a byte, from 1 on. Bytes that cannot be read count as none.
int64_t LineAt(FileCursor& file, uint64_t end) {
  int64_t line = 1;
  for (uint64_t at = 0; at < std::min(end, file.file().size());) {
    const Result<std::string_view> text = file.Some(at);
    if (!text.ok()) break;
    const std::string_view before = text->substr(0, end - at);
    line += std::count(before.begin(), before.end(), '\n');
    at += before.size();
  }
  return line;
}

}  // namespace

Status NameRecord(const Status& status, const RecordFormat& format, FileCursor& file, int64_t number, uint64_t at) {
  // A decoder sees its record as an argument; for the job it is data, as damaged as a record that cannot be found.
  const Code code = status.code() == Code::kInvalidArgument ? Code::kDataLoss : status.code();
  const std::string line = format.HasLines() ? StrCat(":", LineAt(file, at)) : "";
  return Status(code, status.message())
      .Annotate(StrCat(file.file().path(), line, ", record ", number, " at byte ", at));
}

Result<std::unique_ptr<RecordFiles>> RecordFiles::Create(const std::vector<std::string>& paths, Compression compression,
                                                         const RecordFormat& format, const RecordIndex& record_index) {
  DF_TRY(CheckRecordIndex(record_index, paths.size()));
  return std::unique_ptr<RecordFiles>(new RecordFiles(paths, compression, format, record_index));
}

RecordFiles::RecordFiles(const std::vector<std::string>& paths, Compression compression, const RecordFormat& format,
                         const RecordIndex& record_index)
    : paths_(paths),
      compression_(compression),
      format_(format),
      record_index_(record_index),
      mappable_bytes_(kMapBytes),
      files_(paths.size()),
      indices_(record_index.pieces.size()) {
  auto left_out = record_index_.left_out.begin();
  for (const RecordIndex::Piece& piece : record_index_.pieces) {
    first_record_.push_back(first_record_.back() + piece.records);
    const auto begin = left_out;
    left_out = std::lower_bound(left_out, record_index_.left_out.end(), first_record_.back());
    first_sample_.push_back(first_sample_.back() + piece.records - (left_out - begin));
  }
}

Result<std::vector<RecordFiles::Location>> RecordFiles::Find(std::span<const int64_t> samples) {
  std::vector<Location> locations;
  locations.reserve(samples.size());
  for (const int64_t sample : samples) {
    const auto after = std::upper_bound(first_sample_.begin(), first_sample_.end(), sample);
    const auto piece = static_cast<size_t>(after - first_sample_.begin()) - 1;
    DF_ASSIGN(const Index* index, IndexOf(piece));
    const auto i = static_cast<size_t>(sample - first_sample_[piece]);
    locations.push_back({static_cast<uint32_t>(record_index_.pieces[piece].file), static_cast<uint32_t>(piece),
                         index->numbers.empty() ? static_cast<int64_t>(i) : index->numbers[i], index->spans[i]});
  }
  return locations;
}

Result<const ByteFile*> RecordFiles::File(uint32_t file, ByteFile& opened) {
  bool is_kept = true;
  const auto open = [&]() -> Result<std::unique_ptr<const ByteFile>> {
    const uint64_t most = mappable_bytes_.load();
    DF_ASSIGN(opened, ByteFile::Open(paths_[file], compression_, most));
    is_kept = opened.in_memory() || paths_.size() <= kMaxOpenFiles;
    if (!is_kept) return std::unique_ptr<const ByteFile>();
    // Two threads may both take the last bytes: the bound need not be exact.
    if (opened.in_memory()) mappable_bytes_.store(most - std::min<uint64_t>(most, opened.size()));
    opened.ReadAhead();
    return std::make_unique<const ByteFile>(std::move(opened));
  };
  DF_ASSIGN(const ByteFile* const kept, files_.Get(file, open));
  return is_kept ? kept : &opened;
}

Status RecordFiles::Name(const Status& status, FileCursor& file, const Location& location) const {
  int64_t number = location.number;
  for (size_t p = location.piece; p > 0 && record_index_.pieces[p - 1].file == location.file; --p) {
    number += record_index_.pieces[p - 1].records;
  }
  return NameRecord(status, format_, file, number, location.span.offset);
}

Status RecordFiles::FindNext(FileCursor& cursor, uint64_t& at, Location& location) const {
  location.span = {at, 0};
  const Result<bool> found = format_.Find(cursor, at, location.span);
  if (found.ok() && *found) return Status();
  DF_TRY(cursor.file().Check());
  if (!found.ok()) return Name(found.status(), cursor, location);
  return Name(Error(Code::kDataLoss, "the file ends here; when its records were counted it had more"), cursor,
              location);
}

Result<std::unique_ptr<const RecordFiles::Index>> RecordFiles::LookThrough(size_t number) {
  const RecordIndex::Piece& piece = record_index_.pieces[number];
  const int64_t first = first_record_[number];
  const auto begin = std::lower_bound(record_index_.left_out.begin(), record_index_.left_out.end(), first);
  const auto end = std::lower_bound(begin, record_index_.left_out.end(), first_record_[number + 1]);
  ByteFile opened;
  DF_ASSIGN(const ByteFile* const file, File(static_cast<uint32_t>(piece.file), opened));
  FileCursor cursor(*file);
  auto index = std::make_unique<Index>();
  auto at = static_cast<uint64_t>(piece.begin);
  auto left_out = begin;
  for (int64_t i = 0; i < piece.records; ++i) {
    Location location{static_cast<uint32_t>(piece.file), static_cast<uint32_t>(number), i, {}};
    DF_TRY(FindNext(cursor, at, location));
    if (left_out != end && *left_out == first + i) {
      ++left_out;
      continue;
    }
    index->spans.push_back(location.span);
    if (begin != end) index->numbers.push_back(i);
  }
  DF_TRY(file->Check());
  return std::unique_ptr<const Index>(std::move(index));
}

Result<std::optional<uint64_t>> RecordFiles::LoadIfSmall() {
  if (paths_.size() > kMaxOpenFiles) return std::optional<uint64_t>();
  uint64_t bytes = 0;
  bool in_memory = true;
  for (size_t p = 0; p < record_index_.pieces.size(); ++p) {
    if (p > 0 && record_index_.pieces[p].file == record_index_.pieces[p - 1].file) continue;
    ByteFile opened;
    DF_ASSIGN(const ByteFile* const file, File(static_cast<uint32_t>(record_index_.pieces[p].file), opened));
    bytes += file->size();
    in_memory = in_memory && file->in_memory();
    if (!in_memory || bytes > kSmallBytes) return std::optional<uint64_t>();
    file->Touch();
  }
  for (size_t p = 0; p < record_index_.pieces.size(); ++p) DF_TRY(IndexOf(p).status());
  return std::optional<uint64_t>(bytes);
}

}  // namespace dfrun
