// Event files, which TensorBoard reads: records of bytes with their lengths and masked crc32c.
#ifndef DFRUN_SRC_EVENTS_EVENT_FILE_H_
#define DFRUN_SRC_EVENTS_EVENT_FILE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "src/base/file.h"
#include "src/storage/event_records.h"
#include "src/storage/record_writer.h"

namespace dfrun {

// A new file of a directory, which no other process writes to. Readers take the files of a directory in the order of
// their names: the name begins with a number of seconds that is greater than that of any file that is there.
// Thread safety: one thread.
class EventFile {
 public:
  // Makes the directory and the file. Nothing is written to it yet.
  static Result<EventFile> Create(const std::string& directory);

  // Adds a record, a serialised Event (event.proto), to those that Flush() writes.
  void Add(std::string_view event) { AppendTfRecord(event, buffer_); }
  // Gives the records to the system. After an error the file may end in a torn record, behind which readers read no
  // more: nothing may be added then.
  Status Flush();

  const std::string& path() const { return file_.path(); }
  uint64_t bytes_written() const { return bytes_written_; }

 private:
  explicit EventFile(FileDescriptor file);

  FileDescriptor file_;
  std::string buffer_;
  uint64_t bytes_written_ = 0;  // by calls of Flush() that went well
};

// Reads the records of an event file one by one.
// Thread safety: one thread.
class EventFileReader {
 public:
  // `text` is a whole file and outlives it.
  explicit EventFileReader(std::string_view text) : text_(text) {}
  // Sets `data` to the next record, which points into the file; false at the end, and at a record that is torn or
  // damaged, behind which nothing is read.
  bool Next(std::string_view& data);

 private:
  std::string_view text_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EVENTS_EVENT_FILE_H_
