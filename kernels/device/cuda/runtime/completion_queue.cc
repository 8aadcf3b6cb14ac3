#include "kernels/device/cuda/runtime/completion_queue.h"

#include <chrono>
#include <iterator>
#include <thread>
#include <utility>

#include "kernels/device/cuda/runtime/cuda_status.h"
#include "src/base/cpu_pause.h"

namespace dfrun::cuda {
namespace {

using Clock = std::chrono::steady_clock;

// Steps of small nets end within this time; longer ones can do with less care.
constexpr auto kEager = std::chrono::microseconds(200);
constexpr auto kNap = std::chrono::microseconds(20);
// The number of naps after which the runtime is queried: work that failed does not count in the tally.
constexpr int kNapsPerQuestion = 50;

}  // namespace

CompletionQueue::CompletionQueue(int gpu) : gpu_(gpu) {
  std::thread([this] { Main(); }).detach();  // the queue lives as long as the process
}

Status CompletionQueue::Add(cudaStream_t stream, std::vector<Tensor> kept, Done done) {
  DF_ASSIGN(const cudaEvent_t event, TakeEvent());
  DF_TRY(CudaStatus(cudaEventRecord(event, stream), "record an event"));
  AddEntry({stream, nullptr, 0, event, std::move(kept), std::move(done)});
  return Status();
}

void CompletionQueue::AddTold(const CompletionCounter& counter, uint64_t count, cudaStream_t stream,
                              std::vector<Tensor> kept, Done done) {
  AddEntry({stream, &counter, count, nullptr, std::move(kept), std::move(done)});
}

void CompletionQueue::AddEntry(Entry entry) {
  MutexLock lock(mu_);
  new_.push_back(std::move(entry));
  has_new_.store(true, std::memory_order_relaxed);
  added_.NotifyOne();
}

Result<cudaEvent_t> CompletionQueue::TakeEvent() {
  {
    MutexLock lock(mu_);
    if (!free_events_.empty()) {
      const cudaEvent_t event = free_events_.back();
      free_events_.pop_back();
      return event;
    }
  }
  cudaEvent_t event = nullptr;
  DF_TRY(CudaStatus(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "make an event"));
  return event;
}

void CompletionQueue::Main() {
  cudaSetDevice(gpu_);
  std::vector<Entry> entries;
  Clock::time_point last_done = Clock::now();
  int naps = 0;
  for (;;) {
    const size_t before = entries.size();
    TakeNew(entries);
    if (before == 0) {
      last_done = Clock::now();
      naps = 0;
    }
    const size_t waiting = entries.size();
    FinishDone(entries, /*asks_for_errors=*/naps % kNapsPerQuestion == kNapsPerQuestion - 1);
    if (entries.size() < waiting) {
      last_done = Clock::now();
      naps = 0;
    } else if (Clock::now() - last_done < kEager) {
      CpuPause();
    } else {
      std::this_thread::sleep_for(kNap);
      ++naps;
    }
  }
}

void CompletionQueue::TakeNew(std::vector<Entry>& entries) {
  if (!entries.empty() && !has_new_.load(std::memory_order_relaxed)) return;
  MutexLock lock(mu_);
  while (entries.empty() && new_.empty()) added_.Wait(mu_);
  std::move(new_.begin(), new_.end(), std::back_inserter(entries));
  new_.clear();
  has_new_.store(false, std::memory_order_relaxed);
}

// The state of an entry's work. When a stream has done all of its work, the count has arrived too.
cudaError_t CompletionQueue::StateOf(const Entry& entry, bool asks_for_errors) {
  if (entry.counter == nullptr) return cudaEventQuery(entry.event);
  if (entry.counter->HasCome(entry.count)) return cudaSuccess;
  return asks_for_errors ? cudaStreamQuery(entry.stream) : cudaErrorNotReady;
}

void CompletionQueue::FinishDone(std::vector<Entry>& entries, bool asks_for_errors) {
  size_t waiting = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    Entry& entry = entries[i];
    const cudaError_t state = StateOf(entry, asks_for_errors);
    if (state == cudaErrorNotReady) {
      if (waiting != i) entries[waiting] = std::move(entry);
      ++waiting;
      continue;
    }
    entry.kept.clear();
    entry.done(CudaStatus(state, "do what was enqueued before"));
    if (entry.counter != nullptr) continue;
    MutexLock lock(mu_);
    free_events_.push_back(entry.event);
  }
  entries.resize(waiting);
}

}  // namespace dfrun::cuda
