#include "kernels/summary/event_log.h"

#include "src/base/log.h"
#include "src/storage/event_records.h"
#include "src/storage/record_writer.h"

namespace dfrun {
namespace {

constexpr int kMaxNames = 1000;  // files of one second, host and process

// A file that no other writer has.
Result<FileDescriptor> MakeFile(const FileAccess& access, const EventLog::Options& options) {
  const auto seconds = static_cast<int64_t>(EventTime());
  for (int i = 0;; ++i) {
    DF_ASSIGN(const std::string path,
              access.ForEventFile(options.directory, EventFileName(seconds, i) + options.suffix));
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
  AppendTfRecord(VersionEvent(), buffer_);
  return FlushLocked();
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
