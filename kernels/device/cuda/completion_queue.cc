#include "kernels/device/cuda/completion_queue.h"

#include <chrono>
#include <iterator>
#include <thread>
#include <utility>

#include "kernels/device/cuda/cuda_status.h"
#include "src/base/cpu_pause.h"

namespace dfrun::cuda {

CompletionQueue::CompletionQueue(int card) : card_(card) {
  std::thread([this] { Main(); }).detach();  // the queue lives as long as the process
}

Status CompletionQueue::Add(cudaStream_t stream, std::vector<Tensor> kept, Done done) {
  DF_ASSIGN(const cudaEvent_t event, TakeEvent());
  DF_TRY(CudaStatus(cudaEventRecord(event, stream), "record an event"));
  MutexLock lock(mu_);
  new_.push_back({event, std::move(kept), std::move(done)});
  added_.NotifyOne();
  return Status();
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
  // Asking an event takes 0.2 us. Steps of small nets end within this time; longer ones can do with less care.
  constexpr int kEagerRounds = 1000;
  cudaSetDevice(card_);
  std::vector<Entry> entries;
  for (int round = 0;; ++round) {
    TakeNew(entries);
    const size_t before = entries.size();
    FinishDone(entries);
    if (entries.size() < before) round = 0;
    if (round < kEagerRounds) {
      CpuPause();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }
}

void CompletionQueue::TakeNew(std::vector<Entry>& entries) {
  MutexLock lock(mu_);
  while (entries.empty() && new_.empty()) added_.Wait(mu_);
  std::move(new_.begin(), new_.end(), std::back_inserter(entries));
  new_.clear();
}

void CompletionQueue::FinishDone(std::vector<Entry>& entries) {
  std::vector<Entry> rest;
  for (Entry& entry : entries) {
    const cudaError_t state = cudaEventQuery(entry.event);
    if (state == cudaErrorNotReady) {
      rest.push_back(std::move(entry));
      continue;
    }
    entry.kept.clear();
    entry.done(CudaStatus(state, "do what was enqueued before"));
    MutexLock lock(mu_);
    free_events_.push_back(entry.event);
  }
  entries.swap(rest);
}

}  // namespace dfrun::cuda
