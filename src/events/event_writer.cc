#include "src/events/event_writer.h"

#include <unistd.h>

#include <utility>

namespace dfrun {
void EventWriter::AddStart(int64_t step, double wall_time) {
  proto::Event event = EventAt(step, wall_time);
  event.mutable_session_log()->set_status(proto::SessionLog::START);
  AddEvent(event.SerializeAsString());
}

void EventWriter::AddSummary(int64_t step, double wall_time, std::string summary) {
  proto::Event event = EventAt(step, wall_time);
  event.set_summary(std::move(summary));
  AddEvent(event.SerializeAsString());
}

void EventWriter::AddGraph(int64_t step, double wall_time, std::string graph_def) {
  proto::Event event = EventAt(step, wall_time);
  event.set_graph_def(std::move(graph_def));
  AddEvent(event.SerializeAsString());
}

void EventWriter::AddRunMetadata(int64_t step, double wall_time, const std::string& tag, std::string run_metadata) {
  proto::Event event = EventAt(step, wall_time);
  event.mutable_tagged_run_metadata()->set_tag(tag);
  event.mutable_tagged_run_metadata()->set_run_metadata(std::move(run_metadata));
  AddEvent(event.SerializeAsString());
}

void EventWriter::AddEvent(std::string_view event) {
  ++waiting_;
  if (!file_ && resume_ && Clock::now() < *resume_) return;
  if (!file_) {
    Result<EventFile> file = EventFile::Create(directory_);
    if (!file.ok()) return Drop(file.status());
    file_.emplace(*std::move(file));
  }
  file_->Add(event);
}

Status EventWriter::Flush() {
  if (!file_) {
    dropped_ += std::exchange(waiting_, 0);
    return std::exchange(error_, Status());
  }
  const Status written = file_->Flush();
  if (!written.ok()) {
    // A file without a whole record is of no use to anybody.
    if (file_->bytes_written() == 0) ::unlink(file_->path().c_str());
    file_.reset();
    Drop(written);
    dropped_ += waiting_;
  }
  waiting_ = 0;
  return std::exchange(error_, Status());
}

void EventWriter::Drop(const Status& why) {
  resume_ = Clock::now() + kPause;
  if (!std::exchange(has_failed_, true)) error_ = why;
}

}  // namespace dfrun
