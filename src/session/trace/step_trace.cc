#include "src/session/trace/step_trace.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace dfrun {
namespace {

std::atomic<uint64_t> g_next_id{1};

}  // namespace

StepTrace::StepTrace() : id_(g_next_id.fetch_add(1)) {}

StepTrace::ThreadBuffer& StepTrace::BufferOfThisThread() {
  // The buffer is found by the trace's id and not by its address, since another trace may come to lie at that address.
  thread_local uint64_t trace_id = 0;
  thread_local ThreadBuffer* buffer = nullptr;
  if (buffer != nullptr && trace_id == id_) return *buffer;
  const std::thread::id self = std::this_thread::get_id();
  MutexLock lock(mu_);
  auto it = std::find_if(buffers_.begin(), buffers_.end(), [&](const auto& b) { return b->owner == self; });
  if (it == buffers_.end()) {
    buffers_.push_back(std::make_unique<ThreadBuffer>());
    buffers_.back()->owner = self;
    buffers_.back()->thread = static_cast<int32_t>(buffers_.size()) - 1;
    it = buffers_.end() - 1;
  }
  trace_id = id_;
  buffer = it->get();
  return *buffer;
}

void StepTrace::AddPlan(uint64_t plan, FunctionRef<TraceNames()> names) {
  MutexLock lock(mu_);
  if (!plans_.contains(plan)) plans_.emplace(plan, names());
}

void StepTrace::Add(const TraceRecord& record) {
  ThreadBuffer& buffer = BufferOfThisThread();
  TraceRecord of_thread = record;
  of_thread.thread = buffer.thread;
  buffer.records.Add(of_thread);
}

Trace StepTrace::Take() {
  Trace trace;
  MutexLock lock(mu_);
  for (const auto& buffer : buffers_) buffer->records.TakeInto(trace.records);
  trace.plans = std::exchange(plans_, {});
  std::stable_sort(trace.records.begin(), trace.records.end(),
                   [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  return trace;
}

}  // namespace dfrun
