#include "src/runs/line_reader.h"

#include <algorithm>

namespace dfrun {
namespace {

constexpr size_t kBlock = size_t{1} << 20;
constexpr size_t kLongestLine = size_t{64} << 20;

}  // namespace

Result<LineReader> LineReader::Open(const std::string& path) {
  DF_ASSIGN(FileDescriptor file, FileDescriptor::OpenForReading(path));
  DF_ASSIGN(const uint64_t size, file.Size());
  return LineReader(std::move(file), size);
}

Status LineReader::Fill() {
  buffer_.erase(0, at_);
  at_ = 0;
  const size_t more = std::min<uint64_t>(kBlock, size_ - read_);
  const size_t before = buffer_.size();
  buffer_.resize(before + more);
  DF_TRY(file_.ReadAt(read_, buffer_.data() + before, more));
  read_ += more;
  return Status();
}

Result<bool> LineReader::Next(std::string_view* line) {
  while (true) {
    const size_t end = buffer_.find('\n', at_);
    if (end != std::string::npos) {
      *line = std::string_view(buffer_).substr(at_, end - at_);
      at_ = end + 1;
      return true;
    }
    if (read_ == size_) return false;
    if (buffer_.size() - at_ > kLongestLine)
      return Error(Code::kDataLoss, file_.path(), " has a line of more than ", kLongestLine, " bytes");
    DF_TRY(Fill());
  }
}

}  // namespace dfrun
