// CompletionQueue: callbacks that run when a stream has reached the point where they were enqueued. Its own thread
// reads a word that the work itself writes (CompletionCounter), or queries an event, so that a step contains no host
// function and no host thread waits for it.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_COMPLETION_QUEUE_H_
#define DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_COMPLETION_QUEUE_H_

#include <cuda_runtime_api.h>

#include <atomic>
#include <deque>
#include <functional>
#include <vector>

#include "kernels/device/cuda/runtime/completion_counter.h"
#include "src/base/mutex.h"
#include "src/base/status.h"
#include "src/framework/values/tensor.h"

namespace dfrun::cuda {

// Thread safety: all methods from any thread. Lives as long as the process.
class CompletionQueue {
 public:
  using Done = std::function<void(const Status&)>;

  // A queue for the GPU `gpu`, which is current on the thread that calls back.
  explicit CompletionQueue(int gpu);
  CompletionQueue(const CompletionQueue&) = delete;
  CompletionQueue& operator=(const CompletionQueue&) = delete;

  // Runs `done` when all that `stream` has been given until now is done, with the error of the GPU's work, if any.
  // `kept` are not given back before. An error where the runtime takes no event; `done` then does not run.
  Status Add(cudaStream_t stream, std::vector<Tensor> kept, Done done) EXCLUDES(mu_);
  // Runs `done` in the same way when the tally has reached `count`.
  void AddTold(const CompletionCounter& counter, uint64_t count, cudaStream_t stream, std::vector<Tensor> kept,
               Done done) EXCLUDES(mu_);

 private:
  struct Entry {
    cudaStream_t stream;
    const CompletionCounter* counter;  // null: the event is queried
    uint64_t count;
    cudaEvent_t event;
    std::vector<Tensor> kept;
    Done done;
  };

  void Main();
  void AddEntry(Entry entry) EXCLUDES(mu_);
  // Waits for entries where there are none, and takes those that have come.
  void TakeNew(std::vector<Entry>& entries) EXCLUDES(mu_);
  // Calls back those that have come to pass, and removes them.
  void FinishDone(std::vector<Entry>& entries, bool asks_for_errors) EXCLUDES(mu_);
  // cudaErrorNotReady where it has not come to pass.
  static cudaError_t StateOf(const Entry& entry, bool asks_for_errors);
  Result<cudaEvent_t> TakeEvent() EXCLUDES(mu_);

  const int gpu_;
  Mutex mu_;
  CondVar added_;
  std::atomic<bool> has_new_{false};  // written under mu_
  std::deque<Entry> new_ GUARDED_BY(mu_);
  std::vector<cudaEvent_t> free_events_ GUARDED_BY(mu_);
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_COMPLETION_QUEUE_H_
