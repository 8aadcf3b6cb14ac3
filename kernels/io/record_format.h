// Files of records: where each record lies, and its bytes.
#ifndef DFRUN_KERNELS_IO_RECORD_FORMAT_H_
#define DFRUN_KERNELS_IO_RECORD_FORMAT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/io/byte_file.h"
#include "kernels/parsing/csv_record.h"

namespace dfrun {

// The position of a record's own bytes in its file.
struct RecordSpan {
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

// A format of files of records. Errors name the byte; the caller, who knows the file's name, adds it.
// Thread safety: const methods from any thread.
class RecordFormat {
 public:
  virtual ~RecordFormat() = default;

  // True if a file may begin with any bytes. If not, a file that is compressed by gzip is recognised.
  virtual bool BeginsWithAnything() const { return true; }
  // True if people count the lines of the files.
  virtual bool HasLines() const { return false; }
  // The offset at which the first record is looked for.
  virtual uint64_t Begin() const { return 0; }
  // The record at `at`, which moves behind it; false at the end of the file. A position that was kept goes on from
  // there.
  virtual Result<bool> Find(FileCursor& file, uint64_t& at, RecordSpan& record) const = 0;
  // The number of records that there seem to be from `at` on, where Find() failed: they are left out with the damaged
  // one.
  virtual Result<int64_t> CountLost(FileCursor&, uint64_t) const { return 0; }
  // The bytes of a record that Find() gave, checked; valid until the cursor's next use.
  virtual Result<std::string_view> Read(FileCursor& file, const RecordSpan& record) const {
    return file.View(record.offset, record.bytes);
  }
};

// Lines, without their ends "\n" or "\r\n"; the last may lack its end. The first `skip` are left out.
std::unique_ptr<RecordFormat> TextLines(int64_t skip);
// The columns of a data set, as far as they are known. Its RecordFormat and its RecordDecoder share them.
struct CsvColumns {
  CsvFormat format;
  std::vector<std::string> header;  // the names that every file begins with; empty: files have no header
  size_t count = 0;                 // the fields of a record; 0: not known
  size_t wanted = 0;                // so many of them are read

  // True if a record may have so many fields: fewer may be missing, and one empty field may follow the last delimiter.
  bool MayHave(size_t fields, bool last_is_empty) const {
    return count == 0 || fields <= count || (fields == count + 1 && last_is_empty);
  }
};
// Lines of comma-separated values: line ends within quotes belong to the record; empty lines, the header and a byte
// order mark are no records. A record of several lines parses, and has no more fields than there are columns and no
// fewer than are wanted; else its first line alone is the record, and the next line begins another.
std::unique_ptr<RecordFormat> CsvLines(std::shared_ptr<const CsvColumns> columns);

// Pieces of `record` bytes that begin every `hop` bytes (0: one after the other), between a header and a footer.
struct FixedLength {
  uint64_t header = 0;
  uint64_t record = 0;  // > 0
  uint64_t footer = 0;
  uint64_t hop = 0;
  bool ends_before_part = false;  // a piece that is cut short is no record; else it is an error
};
std::unique_ptr<RecordFormat> FixedLengthRecords(const FixedLength& sizes);

// TFRecord: uint64 length, its masked crc32c, the bytes, their masked crc32c, all little-endian.
std::unique_ptr<RecordFormat> TfRecords();
// A record as a TFRecord file holds it, for writers.
std::string FramedTfRecord(std::string_view record);

// Each file is one record.
std::unique_ptr<RecordFormat> WholeFiles();

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_RECORD_FORMAT_H_
