#include "kernels/summary/event_log.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "src/base/log.h"
#include "src/base/text.h"
#include "src/storage/record_writer.h"

namespace dfrun {
namespace {

constexpr char kWallTimeTag = 0x09;  // field 1, 8 bytes
constexpr char kStepTag = 0x10;      // field 2, a varint
constexpr int kMaxNames = 1000;      // files of one second, host and process

double WallTime() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

void AppendVarint(uint64_t value, std::string& to) {
  for (; value >= 0x80; value >>= 7) to += static_cast<char>(value | 0x80);
  to += static_cast<char>(value);
}

std::string EventOf(int64_t step, EventLog::Field field, std::string_view content) {
  std::string event = {kWallTimeTag};
  const double now = WallTime();
  event.append(reinterpret_cast<const char*>(&now), sizeof now);
  if (step != 0) {
    event += kStepTag;
    AppendVarint(static_cast<uint64_t>(step), event);
  }
  event += static_cast<char>(static_cast<int>(field) << 3 | 2);  // bytes with their length
  AppendVarint(content.size(), event);
  return event.append(content);
}

std::string HostName() {
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) != 0 || name[0] == '\0') return "host";
  std::string host = name;
  std::replace(host.begin(), host.end(), '/', '_');
  return host;
}

// A file that no other writer has.
Result<FileDescriptor> MakeFile(const FileAccess& access, const EventLog::Options& options) {
  const std::string begin =
      StrCat("events.out.tfevents.", static_cast<int64_t>(WallTime()), ".", HostName(), ".", ::getpid(), ".");
  for (int i = 0;; ++i) {
    DF_ASSIGN(const std::string path, access.ForEventFile(options.directory, StrCat(begin, i, options.suffix)));
    Result<FileDescriptor> file = FileDescriptor::CreateNew(path);
    if (file.status().code() != Code::kAlreadyExists || i == kMaxNames) return file;
  }
}

}  // namespace

EventLog::~EventLog() {
  const Status closed = Close();
  if (!closed.ok()) DF_LOG(kWarning) << "events of " << DebugString() << " are lost: " << closed.message();
}

Status EventLog::Open(const FileAccess& access, const Options& options) {
  MutexLock lock(mu_);
  if (file_.fd() >= 0) return Status();
  DF_ASSIGN(file_, MakeFile(access, options));
  options_ = options;
  AppendTfRecord(EventOf(0, Field::kFileVersion, "brain.Event:2"), buffer_);
  return FlushLocked();
}

Status EventLog::Write(int64_t step, Field field, std::string_view content) {
  return WriteEvent(EventOf(step, field, content));
}

Status EventLog::WriteEvent(std::string_view event) {
  MutexLock lock(mu_);
  DF_TRY(CheckOpen());
  AppendTfRecord(event, buffer_);
  ++waiting_;
  if (waiting_ <= options_.max_queue && Clock::now() - flushed_ < options_.flush) return Status();
  return FlushLocked();
}

Status EventLog::Flush() {
  MutexLock lock(mu_);
  DF_TRY(CheckOpen());
  return FlushLocked();
}

Status EventLog::Close() {
  MutexLock lock(mu_);
  if (file_.fd() < 0) return Status();
  const Status flushed = FlushLocked();
  file_ = FileDescriptor();
  return flushed;
}

Status EventLog::CheckOpen() const {
  if (file_.fd() >= 0) return Status();
  return FailedPrecondition("the summary writer '", name_, "' is closed: CreateSummaryFileWriter opens it");
}

Status EventLog::FlushLocked() {
  DF_ASSIGN(const uint64_t end, file_.Size());
  const Status written = file_.WriteAt(end, buffer_.data(), buffer_.size());
  buffer_.clear();
  waiting_ = 0;
  flushed_ = Clock::now();
  return written;
}

}  // namespace dfrun
