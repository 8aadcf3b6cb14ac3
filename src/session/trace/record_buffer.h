// The records of one thread, which another thread may take while the first adds more.
#ifndef DFRUN_SRC_SESSION_TRACE_RECORD_BUFFER_H_
#define DFRUN_SRC_SESSION_TRACE_RECORD_BUFFER_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

#include "src/framework/step/trace_sink.h"

namespace dfrun {

// A list of chunks: the one thread writes at its end, the other reads at its beginning, without a lock. Memory is
// allocated once a chunk.
// Thread safety: one thread calls Add(), and one at a time TakeInto().
class RecordBuffer {
 public:
  RecordBuffer() : first_(new Chunk), last_(first_) {}
  ~RecordBuffer() {
    while (first_ != nullptr) delete std::exchange(first_, first_->next.load());
  }
  RecordBuffer(const RecordBuffer&) = delete;
  RecordBuffer& operator=(const RecordBuffer&) = delete;

  void Add(const TraceRecord& record) {
    size_t size = last_->size.load(std::memory_order_relaxed);
    if (size == kChunk) {
      auto* const more = new Chunk;
      last_->next.store(more, std::memory_order_release);  // from here on the full chunk is the reader's
      last_ = more;
      size = 0;
    }
    last_->records[size] = record;
    last_->size.store(size + 1, std::memory_order_release);
  }

  // Appends the records added since the last call.
  void TakeInto(std::vector<TraceRecord>& all) {
    for (;;) {
      const size_t size = first_->size.load(std::memory_order_acquire);
      all.insert(all.end(), first_->records.begin() + taken_, first_->records.begin() + size);
      taken_ = size;
      Chunk* const next = size == kChunk ? first_->next.load(std::memory_order_acquire) : nullptr;
      if (next == nullptr) return;
      delete std::exchange(first_, next);
      taken_ = 0;
    }
  }

 private:
  static constexpr size_t kChunk = 1024;
  struct Chunk {
    std::array<TraceRecord, kChunk> records;
    std::atomic<size_t> size{0};
    std::atomic<Chunk*> next{nullptr};
  };

  Chunk* first_;      // the reader's
  size_t taken_ = 0;  // records taken from the first chunk
  Chunk* last_;       // the writer's
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_TRACE_RECORD_BUFFER_H_
