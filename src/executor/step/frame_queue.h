// The ready nodes of a plan with control flow, first in first out: a node may be ready in several iterations at once.
#ifndef DFRUN_SRC_EXECUTOR_STEP_FRAME_QUEUE_H_
#define DFRUN_SRC_EXECUTOR_STEP_FRAME_QUEUE_H_

#include <bit>
#include <cstdint>
#include <memory>

namespace dfrun {

struct Iteration;

// A node in an iteration, alive or dead. It has two words, which go through the queue whole: bytes written in smaller
// pieces must reach memory before they can be read in larger ones.
class FrameEntry {
 public:
  FrameEntry() = default;
  FrameEntry(Iteration* iteration, uint32_t node, bool is_dead)
      : iteration_(iteration), bits_(node << 3 | (is_dead ? 1 : 0)) {}
  Iteration& iteration() const { return *iteration_; }
  uint32_t node() const { return bits_ >> 3; }  // within its frame; below DataflowEdge::kMaxNodes
  bool is_dead() const { return (bits_ & 1) != 0; }

  // Whether a node that yields (kNodeYieldsToPredicate) has let others pass as often as it does: once for the Switch
  // that waits for the same, once for the Send behind it.
  bool has_yielded() const { return (bits_ & 4) != 0; }
  FrameEntry Yielded() const {
    FrameEntry later = *this;
    later.bits_ += 2;
    return later;
  }

 private:
  Iteration* iteration_;
  uint32_t bits_;
};

// Grows as it must and never shrinks.
// Thread safety: one thread at a time.
class FrameQueue {
 public:
  bool empty() const { return head_ == tail_; }
  uint32_t size() const { return tail_ - head_; }
  void Clear() { head_ = tail_ = 0; }

  template <class F>
  bool Any(F&& is_wanted) const {
    for (uint32_t i = head_; i != tail_; ++i) {
      if (is_wanted(entries_[i & (capacity_ - 1)])) return true;
    }
    return false;
  }

  void Push(FrameEntry entry) { Pusher(*this, 1).Push(entry); }
  FrameEntry Pop() { return entries_[head_++ & (capacity_ - 1)]; }
  // Puts back the entry that Pop() returned last.
  void Unpop() { --head_; }
  // Moves the later `count` entries to another queue.
  void Give(uint32_t count, FrameQueue& other) {
    Pusher given(other, count);
    for (uint32_t i = tail_ - count; i != tail_; ++i) given.Push(entries_[i & (capacity_ - 1)]);
    tail_ -= count;
  }

  // Pushes up to `most` entries, which the queue has when the pusher ends.
  class Pusher {
   public:
    [[gnu::always_inline]] Pusher(FrameQueue& queue, uint32_t most) : queue_(queue) {
      if (queue.capacity_ - queue.size() < most) [[unlikely]]
        queue.Grow(most);
      entries_ = queue.entries_.get();
      mask_ = queue.capacity_ - 1;
      tail_ = queue.tail_;
    }
    [[gnu::always_inline]] ~Pusher() { queue_.tail_ = tail_; }
    Pusher(const Pusher&) = delete;
    Pusher& operator=(const Pusher&) = delete;

    void Push(FrameEntry entry) { entries_[tail_++ & mask_] = entry; }
    uint32_t num_pushed() const { return tail_ - queue_.tail_; }

   private:
    FrameQueue& queue_;
    FrameEntry* entries_;
    uint32_t mask_;
    uint32_t tail_;
  };

 private:
  // Makes room for `more` entries.
  [[gnu::noinline]] void Grow(uint32_t more) {
    const uint32_t count = size();
    const uint32_t capacity = std::bit_ceil(count + more < kMinCapacity ? kMinCapacity : count + more);
    std::unique_ptr<FrameEntry[]> entries(new FrameEntry[capacity]);
    for (uint32_t i = 0; i < count; ++i) entries[i] = entries_[(head_ + i) & (capacity_ - 1)];
    entries_ = std::move(entries);
    capacity_ = capacity;
    head_ = 0;
    tail_ = count;
  }

  static constexpr uint32_t kMinCapacity = 64;

  std::unique_ptr<FrameEntry[]> entries_;
  uint32_t capacity_ = 0;  // a power of two, or 0
  uint32_t head_ = 0;      // counts on; wraps with the capacity
  uint32_t tail_ = 0;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_STEP_FRAME_QUEUE_H_
