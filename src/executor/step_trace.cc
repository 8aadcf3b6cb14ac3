#include "src/executor/step_trace.h"

#include <algorithm>
#include <atomic>
#include <chrono>

namespace dfrun {
namespace {

std::atomic<uint64_t> g_next_id{1};

}  // namespace

StepTrace::StepTrace() : id_(g_next_id.fetch_add(1)) {}

int64_t StepTrace::NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

StepTrace::ThreadBuffer& StepTrace::BufferOfThisThread() {
  // By id and not by address, since another trace may come to lie where this one was.
  thread_local uint64_t trace_id = 0;
  thread_local ThreadBuffer* buffer = nullptr;
  if (buffer != nullptr && trace_id == id_) return *buffer;
  const std::thread::id self = std::this_thread::get_id();
  MutexLock lock(mu_);
  auto it = std::find_if(buffers_.begin(), buffers_.end(), [&](const auto& b) { return b->owner == self; });
  if (it == buffers_.end()) {
    buffers_.push_back(std::make_unique<ThreadBuffer>());
    buffers_.back()->owner = self;
    buffers_.back()->thread = static_cast<int>(buffers_.size()) - 1;
    it = buffers_.end() - 1;
  }
  trace_id = id_;
  buffer = it->get();
  return *buffer;
}

void StepTrace::Add(TraceRecord record) {
  ThreadBuffer& buffer = BufferOfThisThread();
  record.thread = buffer.thread;
  buffer.records.push_back(std::move(record));
}

std::vector<TraceRecord> StepTrace::Take() {
  std::vector<TraceRecord> all;
  MutexLock lock(mu_);
  for (auto& buffer : buffers_) {
    std::move(buffer->records.begin(), buffer->records.end(), std::back_inserter(all));
    buffer->records.clear();
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  return all;
}

}  // namespace dfrun
