#include "tests/gpu/emulated_streams.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "src/base/status.h"
#include "tests/gpu/emulated_graph.h"
#include "tests/gpu/emulated_settings.h"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

using dfrun::MutexLock;

namespace dfrun::cuda::emulated {
namespace {

// Steps of a stream other than work: the number-th recording of an event, and the wait for such a recording.
struct Recording {
  cudaEvent_t event;
  int64_t number;
};
struct Waiting {
  cudaEvent_t event;
  int64_t number;
};
using Step = std::variant<Work, std::unique_ptr<Parts>, Recording, Waiting>;

}  // namespace
}  // namespace dfrun::cuda::emulated

// The runtime's names of its types.
struct CUevent_st {
  int64_t recorded = 0;  // number of times that it was enqueued
  int64_t passed = 0;
};
struct CUstream_st {
  std::deque<dfrun::cuda::emulated::Step> steps;
};

namespace dfrun::cuda::emulated {
namespace {

class Streams {
 public:
  static Streams& Get() {
    static Streams& streams = *new Streams();
    return streams;
  }

  cudaStream_t Make() REQUIRES(running) {
    all_.push_back(new CUstream_st());
    return all_.back();
  }
  void Destroy(cudaStream_t stream) REQUIRES(running) {
    Finish(stream);
    std::erase(all_, stream);
    delete stream;
  }
  // Returns the first stream that was made.
  cudaStream_t first() const REQUIRES(running) { return all_.empty() ? nullptr : all_.front(); }

  // Adds a step, and lets the streams advance by some steps, as a GPU works on meanwhile.
  void Add(cudaStream_t stream, Step step) REQUIRES(running) {
    constexpr unsigned kMaxAtOnce = 8;
    constexpr int64_t kMaxLeft = 4096;
    ReadSettings();
    stream->steps.push_back(std::move(step));
    if (++left_ == 1) has_work_.NotifyOne();
    if (!has_thread_) std::thread([this] { Main(); }).detach();
    has_thread_ = true;
    if (left_ > kMaxLeft || RandomTurn() % 4 == 0) AdvanceBy(RandomTurn() % kMaxAtOnce + 1);
  }

  void AdvanceBy(unsigned steps) REQUIRES(running) {
    while (steps > 0 && Advance()) --steps;
  }
  void Finish(cudaStream_t stream) REQUIRES(running) {
    while (!stream->steps.empty()) DF_CHECK(Advance());
  }

 private:
  // Lets the streams advance slowly, also while the program only looks at memory.
  void Main() {
    constexpr unsigned kMaxAtOnce = 16;
    constexpr auto kPause = std::chrono::microseconds(20);
    for (;;) {
      {
        const MutexLock lock(running);
        while (left_ == 0) has_work_.Wait(running);
        AdvanceBy(RandomTurn() % kMaxAtOnce + 1);
      }
      std::this_thread::sleep_for(kPause);
    }
  }

  static bool MayGoOn(const CUstream_st& stream) {
    if (stream.steps.empty()) return false;
    const auto* const waiting = std::get_if<Waiting>(&stream.steps.front());
    return waiting == nullptr || waiting->event->passed >= waiting->number;
  }

  // Executes one step of one stream, mostly the stream of the step before, so that streams get far apart. Returns false
  // if no stream can advance.
  bool Advance() REQUIRES(running) {
    constexpr unsigned kMeanRun = 8;
    ready_.clear();
    for (cudaStream_t stream : all_) {
      if (MayGoOn(*stream)) ready_.push_back(stream);
    }
    if (ready_.empty()) return false;
    const bool may_stay = std::find(ready_.begin(), ready_.end(), last_) != ready_.end();
    if (!may_stay || RandomTurn() % kMeanRun == 0) last_ = ready_[RandomTurn() % ready_.size()];
    if (Do(last_->steps.front())) {
      last_->steps.pop_front();
      --left_;
    }
    return true;
  }

  // Executes a step. Returns whether it is done.
  static bool Do(Step& step) REQUIRES(running) {
    const AtWork at_work;
    if (Work* const work = std::get_if<Work>(&step)) {
      (*work)();
    } else if (auto* const parts = std::get_if<std::unique_ptr<Parts>>(&step)) {
      return (*parts)->DoOne();
    } else if (const auto* const recording = std::get_if<Recording>(&step)) {
      recording->event->passed = recording->number;
    }
    return true;
  }

  std::vector<cudaStream_t> all_ GUARDED_BY(running);
  std::vector<cudaStream_t> ready_ GUARDED_BY(running);
  cudaStream_t last_ GUARDED_BY(running) = nullptr;
  int64_t left_ GUARDED_BY(running) = 0;
  CondVar has_work_;
  bool has_thread_ GUARDED_BY(running) = false;
};

thread_local bool is_at_work = false;

}  // namespace

cudaError_t Enqueue(cudaStream_t stream, Work work) {
  if (KeepIfCaptured(stream, work)) return cudaSuccess;
  const MutexLock lock(running);
  Streams::Get().Add(stream, std::move(work));
  return cudaSuccess;
}

void EnqueueParts(cudaStream_t stream, std::unique_ptr<Parts> parts) {
  const MutexLock lock(running);
  Streams::Get().Add(stream, std::move(parts));
}

void EnqueueInOrderOfMemory(Work work) {
  const MutexLock lock(running);
  const cudaStream_t stream = Streams::Get().first();
  if (stream == nullptr) return work();
  Streams::Get().Add(stream, std::move(work));
}

#if defined(__SSE__)
AtWork::AtWork() : float_mode_(_mm_getcsr()) {
  constexpr unsigned kDenormals = 0x1f80;
  _mm_setcsr(kDenormals);
  is_at_work = true;
}
AtWork::~AtWork() {
  is_at_work = false;
  _mm_setcsr(float_mode_);
}
#else
AtWork::AtWork() : float_mode_(0) {
  is_at_work = true;
}
AtWork::~AtWork() {
  is_at_work = false;
}
#endif

bool AtWork::IsNow() {
  return is_at_work;
}

}  // namespace dfrun::cuda::emulated

// NOLINTBEGIN(readability-identifier-naming): names of the library
namespace emulated = dfrun::cuda::emulated;

extern "C" {

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  const MutexLock lock(emulated::running);
  *stream = emulated::Streams::Get().Make();
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const MutexLock lock(emulated::running);
  emulated::Streams::Get().Destroy(stream);
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const MutexLock lock(emulated::running);
  emulated::Streams::Get().Finish(stream);
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  const MutexLock lock(emulated::running);
  return stream->steps.empty() ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  if (emulated::Setting("DFRUN_EMULATED_MISSING_EVENT", 0) != 0) return cudaSuccess;
  const MutexLock lock(emulated::running);
  emulated::Streams::Get().Add(stream, emulated::Waiting{event, event->recorded});
  return cudaSuccess;
}
// Events live as long as the process: waits for one that is destroyed may be enqueued.
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  static auto& events = *new std::deque<CUevent_st>();
  const MutexLock lock(emulated::running);
  *event = &events.emplace_back();
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t) {
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const MutexLock lock(emulated::running);
  emulated::Streams::Get().Add(stream, emulated::Recording{event, ++event->recorded});
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  constexpr unsigned kMaxAtOnce = 16;
  const MutexLock lock(emulated::running);
  if (event->passed < event->recorded) emulated::Streams::Get().AdvanceBy(emulated::RandomTurn() % kMaxAtOnce + 1);
  return event->passed < event->recorded ? cudaErrorNotReady : cudaSuccess;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
