#include "src/events/event_file.h"

#include <algorithm>

#include "src/base/crc32c.h"
#include "src/base/number_bytes.h"
#include "src/base/text.h"

namespace dfrun {
namespace {

constexpr size_t kLengthBytes = 8;
constexpr size_t kCrcBytes = 4;
constexpr size_t kHeaderBytes = kLengthBytes + kCrcBytes;

uint32_t MaskedCrc(std::string_view data) {
  return MaskCrc32c(Crc32c(data.data(), data.size()));
}

// The greatest number of seconds that begins the name of an event file of the directory; 0: there is none.
Result<int64_t> LastSecondsIn(const std::string& directory) {
  DF_ASSIGN(const std::vector<std::string> names, ListDirectory(directory));
  int64_t last = 0;
  for (const std::string& name : names) {
    if (!name.starts_with(kEventFilePrefix)) continue;
    const std::string rest = name.substr(kEventFilePrefix.size());
    last = std::max(last, ParseAs<int64_t>(rest.substr(0, rest.find('.'))).value_or(0));
  }
  return last;
}

}  // namespace

EventFile::EventFile(FileDescriptor file) : file_(std::move(file)) {
  Add(VersionEvent());
}

Result<EventFile> EventFile::Create(const std::string& directory) {
  DF_TRY(MakeDirectories(directory));
  DF_ASSIGN(const int64_t last, LastSecondsIn(directory));
  const int64_t seconds = std::max(static_cast<int64_t>(EventTime()), last + 1);
  DF_ASSIGN(FileDescriptor file, FileDescriptor::CreateNew(StrCat(directory, "/", EventFileName(seconds, 0))));
  return EventFile(std::move(file));
}

Status EventFile::Flush() {
  if (buffer_.empty()) return Status();
  const Status written = file_.WriteAt(bytes_written_, buffer_.data(), buffer_.size());
  if (written.ok()) bytes_written_ += buffer_.size();
  buffer_.clear();
  return written;
}

bool EventFileReader::Next(std::string_view& data) {
  if (text_.size() < kHeaderBytes + kCrcBytes) return false;
  const auto length = NumberAt<uint64_t>(text_, 0);
  if (NumberAt<uint32_t>(text_, kLengthBytes) != MaskedCrc(text_.substr(0, kLengthBytes))) return false;
  if (length > text_.size() - kHeaderBytes - kCrcBytes) return false;
  data = text_.substr(kHeaderBytes, length);
  if (NumberAt<uint32_t>(text_, kHeaderBytes + length) != MaskedCrc(data)) return false;
  text_.remove_prefix(kHeaderBytes + length + kCrcBytes);
  return true;
}

}  // namespace dfrun
