// Streams and events of the emulated runtime. What is enqueued is done at once. Where the environment variable
// DFRUN_EMULATED_STREAMS is "late" a thread does it when the host has gone on, what several streams have in a random
// order that events allow, so that where a wait for an event is missing values are wrong.
//
// A fault can be planted: with DFRUN_EMULATED_NO_EVENTS no stream waits for an event.
#include <cuda_runtime_api.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "kernels/device/cuda/block.h"
#include "tests/gpu/emulated_graph.h"

namespace dfrun::cuda::emulated {
namespace {

// Where a stream was when an event was recorded.
struct Mark {
  cudaStream_t stream = nullptr;
  uint64_t count = 0;  // of pieces of work
};

// Thread safety: all methods from any thread. Lives as long as the process.
class Streams {
 public:
  static Streams& Get() {
    static Streams& streams = *new Streams();
    return streams;
  }

  // Null work waits for the mark.
  void Add(cudaStream_t stream, Work work, Mark mark = {}) {
    MutexLock lock(mu_);
    Stream& to = streams_[stream];
    to.work.push_back({std::move(work), mark});
    ++to.enqueued;
    if (!has_thread_) std::thread([this] { Main(); }).detach();
    has_thread_ = true;
    changed_.NotifyAll();
  }
  Mark MarkOf(cudaStream_t stream) {
    MutexLock lock(mu_);
    return {stream, streams_[stream].enqueued};
  }
  bool HasCome(const Mark& mark) {
    MutexLock lock(mu_);
    return HasComeLocked(mark);
  }
  void Wait(const Mark& mark) {
    MutexLock lock(mu_);
    while (!HasComeLocked(mark)) changed_.Wait(mu_);
  }

 private:
  struct Piece {
    Work work;
    Mark mark;
  };
  struct Stream {
    std::deque<Piece> work;
    uint64_t enqueued = 0;
    uint64_t done = 0;
  };

  bool HasComeLocked(const Mark& mark) REQUIRES(mu_) {
    return mark.stream == nullptr || streams_[mark.stream].done >= mark.count;
  }

  void Main() {
    std::minstd_rand random(1);
    for (;;) {
      Stream* const stream = TakeReady(random);
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 50));
      Work work;
      {
        MutexLock lock(mu_);
        work = std::move(stream->work.front().work);
      }
      if (work) {
        MutexLock lock(running);
        work();
      }
      MutexLock lock(mu_);
      stream->work.pop_front();
      ++stream->done;
      changed_.NotifyAll();
    }
  }

  // One of the streams whose next work may be done.
  Stream* TakeReady(std::minstd_rand& random) EXCLUDES(mu_) {
    MutexLock lock(mu_);
    for (;;) {
      std::vector<Stream*> ready;
      for (auto& [name, stream] : streams_) {
        if (!stream.work.empty() && HasComeLocked(stream.work.front().mark)) ready.push_back(&stream);
      }
      if (!ready.empty()) return ready[random() % ready.size()];
      changed_.Wait(mu_);
    }
  }

  Mutex mu_;
  CondVar changed_;
  std::map<cudaStream_t, Stream> streams_ GUARDED_BY(mu_);
  bool has_thread_ GUARDED_BY(mu_) = false;
};

// Where host memory that the card reaches lies.
struct HostMemory {
  Mutex mu;
  std::map<const char*, size_t> blocks GUARDED_BY(mu);
};
HostMemory& TheHostMemory() {
  static HostMemory& memory = *new HostMemory();
  return memory;
}

bool IsOfHost(const void* address) {
  HostMemory& memory = TheHostMemory();
  MutexLock lock(memory.mu);
  const auto* const at = static_cast<const char*>(address);
  auto block = memory.blocks.upper_bound(at);
  return block != memory.blocks.begin() && (--block, at < block->first + block->second);
}

cudaStream_t FirstStream() {
  return reinterpret_cast<cudaStream_t>(uintptr_t{1});
}

}  // namespace

bool IsLate() {
  static const char* const text = std::getenv("DFRUN_EMULATED_STREAMS");
  return text != nullptr && std::string_view(text) == "late";
}

void DoInStream(cudaStream_t stream, Work work) {
  if (IsLate()) return Streams::Get().Add(stream, std::move(work));
  const MutexLock lock(running);
  work();
}

// A card's memory is given out and back in the order of the kernels' stream, which is made first.
void Spoil(void* memory, size_t bytes) {
  const auto fill = [=] { std::memset(memory, 0xff, bytes); };
  if (!IsLate() || IsOfHost(memory)) return fill();
  Streams::Get().Add(FirstStream(), fill);
}

}  // namespace dfrun::cuda::emulated

namespace emulated = dfrun::cuda::emulated;

struct CUevent_st {
  emulated::Mark mark;
};

// NOLINTBEGIN(readability-identifier-naming): names of the library
extern "C" {

cudaError_t cudaHostAlloc(void** memory, size_t bytes, unsigned) {
  if (const cudaError_t error = cudaMalloc(memory, bytes); error != cudaSuccess) return error;
  emulated::HostMemory& host = emulated::TheHostMemory();
  const dfrun::MutexLock lock(host.mu);
  host.blocks[static_cast<const char*>(*memory)] = bytes;
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  static std::atomic<uintptr_t> next{1};  // streams are told apart by their numbers
  *stream = reinterpret_cast<cudaStream_t>(next.fetch_add(1));
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  emulated::Streams::Get().Wait(emulated::Streams::Get().MarkOf(stream));
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  const bool has_come = emulated::Streams::Get().HasCome(emulated::Streams::Get().MarkOf(stream));
  return has_come ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  if (emulated::IsLate() && std::getenv("DFRUN_EMULATED_NO_EVENTS") == nullptr)
    emulated::Streams::Get().Add(stream, nullptr, event->mark);
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new CUevent_st();
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  event->mark = emulated::Streams::Get().MarkOf(stream);
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return emulated::Streams::Get().HasCome(event->mark) ? cudaSuccess : cudaErrorNotReady;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
