// Callbacks that run when a stream has come to where they were enqueued: a thread of its own asks events, so that a
// step has no host function in it and no host thread that waits.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_COMPLETION_QUEUE_H_
#define DFRUN_KERNELS_DEVICE_CUDA_COMPLETION_QUEUE_H_

#include <cuda_runtime_api.h>

#include <deque>
#include <functional>
#include <vector>

#include "src/base/mutex.h"
#include "src/base/status.h"
#include "src/framework/tensor.h"

namespace dfrun::cuda {

// Thread safety: all methods from any thread. Lives as long as the process.
class CompletionQueue {
 public:
  using Done = std::function<void(const Status&)>;

  // Of the card `card`, which is current on the thread that calls back.
  explicit CompletionQueue(int card);
  CompletionQueue(const CompletionQueue&) = delete;
  CompletionQueue& operator=(const CompletionQueue&) = delete;

  // Runs `done` when all that `stream` has been given until now is done, with the error of the card's work, if any.
  // `kept` are not given back before. An error where the runtime takes no event; `done` then does not run.
  Status Add(cudaStream_t stream, std::vector<Tensor> kept, Done done) EXCLUDES(mu_);

 private:
  struct Entry {
    cudaEvent_t event;
    std::vector<Tensor> kept;
    Done done;
  };

  void Main();
  // Waits for entries where there are none, and takes those that have come.
  void TakeNew(std::vector<Entry>& entries) EXCLUDES(mu_);
  // Calls back those of which the event has come to pass, and removes them.
  void FinishDone(std::vector<Entry>& entries) EXCLUDES(mu_);
  Result<cudaEvent_t> TakeEvent() EXCLUDES(mu_);

  const int card_;
  Mutex mu_;
  CondVar added_;
  std::deque<Entry> new_ GUARDED_BY(mu_);
  std::vector<cudaEvent_t> free_events_ GUARDED_BY(mu_);
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_COMPLETION_QUEUE_H_
