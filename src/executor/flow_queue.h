// The ready nodes of a plan with control flow, first in first out: a node may be ready in several iterations at once.
#ifndef DFRUN_SRC_EXECUTOR_FLOW_QUEUE_H_
#define DFRUN_SRC_EXECUTOR_FLOW_QUEUE_H_

#include <cstdint>
#include <memory>

namespace dfrun {

struct Iteration;

struct FlowEntry {
  Iteration* iteration;
  uint32_t node;  // within its frame
  bool is_dead;
  uint8_t yields = 0;  // how often a node that yields has let others pass
};

// Grows as it must and never shrinks. Thread safety: one thread at a time.
class FlowQueue {
 public:
  bool empty() const { return head_ == tail_; }
  uint32_t size() const { return tail_ - head_; }
  void Clear() { head_ = tail_ = 0; }

  [[gnu::always_inline]] void Push(const FlowEntry& entry) {
    if (size() == capacity_) [[unlikely]]
      Grow();
    entries_[tail_++ & (capacity_ - 1)] = entry;
  }
  FlowEntry Pop() { return entries_[head_++ & (capacity_ - 1)]; }
  // Puts back what Pop() gave last.
  void Unpop() { --head_; }
  // Moves the later `count` entries to another queue.
  void Give(uint32_t count, FlowQueue& other) {
    for (uint32_t i = tail_ - count; i != tail_; ++i) other.Push(entries_[i & (capacity_ - 1)]);
    tail_ -= count;
  }

 private:
  [[gnu::noinline]] void Grow() {
    const uint32_t capacity = capacity_ == 0 ? 64 : capacity_ * 2;
    std::unique_ptr<FlowEntry[]> entries(new FlowEntry[capacity]);
    const uint32_t count = size();
    for (uint32_t i = 0; i < count; ++i) entries[i] = entries_[(head_ + i) & (capacity_ - 1)];
    entries_ = std::move(entries);
    capacity_ = capacity;
    head_ = 0;
    tail_ = count;
  }

  std::unique_ptr<FlowEntry[]> entries_;
  uint32_t capacity_ = 0;  // a power of two, or 0
  uint32_t head_ = 0;      // counts on; wraps with the capacity
  uint32_t tail_ = 0;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_FLOW_QUEUE_H_
