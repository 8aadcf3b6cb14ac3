// Reads a text file line by line, a block at a time.
#ifndef DFRUN_SRC_RUNS_LINE_READER_H_
#define DFRUN_SRC_RUNS_LINE_READER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "src/base/file.h"
#include "src/base/status.h"

namespace dfrun {

// Thread safety: one thread.
class LineReader {
 public:
  // The file may grow meanwhile; its size is taken here. NotFound where it is missing.
  static Result<LineReader> Open(const std::string& path);

  // Reads the next line without its end; false behind the last whole line. The text lasts until the next call. DataLoss
  // for a line of more than 64 MiB.
  Result<bool> Next(std::string_view* line);
  // Behind the last line: whether the file ends within one.
  bool is_torn() const { return at_ < buffer_.size(); }

 private:
  LineReader(FileDescriptor file, uint64_t size) : file_(std::move(file)), size_(size) {}
  Status Fill();

  FileDescriptor file_;
  uint64_t size_ = 0;
  uint64_t read_ = 0;   // bytes of the file that were read
  std::string buffer_;  // the last of those
  size_t at_ = 0;       // in the buffer
};

}  // namespace dfrun

#endif  // DFRUN_SRC_RUNS_LINE_READER_H_
