// The files of a data set of records: opened, and looked through piece by piece, when a record of them is needed.
#ifndef DFRUN_KERNELS_IO_RECORD_FILES_H_
#define DFRUN_KERNELS_IO_RECORD_FILES_H_

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/io/lazy_array.h"
#include "kernels/io/record_format.h"
#include "src/storage/sample_source.h"

namespace dfrun {

// "PATH, record 7 at byte 100: ...", and "PATH:9, record 7 ..." in a file of lines, which are counted for it.
Status NameRecord(const Status& status, const RecordFormat& format, FileCursor& file, int64_t number, uint64_t at);

// The files of a record index and the positions of its samples in them.
// Thread safety: Find(), File() and Name() from any thread.
class RecordFiles {
 public:
  struct Location {
    uint32_t file = 0;
    uint32_t piece = 0;
    int64_t number = 0;  // number of the record in its piece
    RecordSpan span;
  };

  // The format outlives the files. InvalidArgument for a record index that cannot be one of these files.
  static Result<std::unique_ptr<RecordFiles>> Create(const std::vector<std::string>& paths, Compression compression,
                                                     const RecordFormat& format, const RecordIndex& record_index);

  int64_t samples() const { return first_sample_.back(); }

  // The locations of samples in [0, samples()). Looks through their pieces if that has not been done; DataLoss where a
  // counted record is missing.
  Result<std::vector<Location>> Find(std::span<const int64_t> samples);
  // A file as it is kept, or in `opened` where there are too many to be kept.
  Result<const ByteFile*> File(uint32_t file, ByteFile& opened);
  // The error of a record, named. `file` is at its file.
  Status Name(const Status& status, FileCursor& file, const Location& location) const;

  // If the files are small, opens them all, brings them into memory, looks through them and returns their size in
  // bytes. Does nothing for larger files, and for files that cannot be in memory.
  Result<std::optional<uint64_t>> LoadIfSmall();

 private:
  // The records of a piece that are samples.
  struct Index {
    std::vector<RecordSpan> spans;
    std::vector<int64_t> numbers;  // in the piece; empty: 0, 1, 2, ...
  };

  RecordFiles(const std::vector<std::string>& paths, Compression compression, const RecordFormat& format,
              const RecordIndex& record_index);
  Result<std::unique_ptr<const Index>> LookThrough(size_t piece);
  // The record at `at`, which moves on, is location.number of location.piece: sets its span, or names it in the error.
  Status FindNext(FileCursor& cursor, uint64_t& at, Location& location) const;
  Result<const Index*> IndexOf(size_t piece) {
    return indices_.Get(piece, [&] { return LookThrough(piece); });
  }

  const std::vector<std::string> paths_;
  const Compression compression_;
  const RecordFormat& format_;
  const RecordIndex record_index_;
  std::vector<int64_t> first_record_ = {0};  // by piece, over all records; and one more entry
  std::vector<int64_t> first_sample_ = {0};
  std::atomic<uint64_t> mappable_bytes_;
  LazyArray<ByteFile> files_;
  LazyArray<Index> indices_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_RECORD_FILES_H_
