// The nodes that one thread has found ready, first in first out. On wide graphs FIFO takes half the time of LIFO: it
// visits nodes in the order in which the plan laid them out.
#ifndef DFRUN_SRC_EXECUTOR_STEP_READY_QUEUE_H_
#define DFRUN_SRC_EXECUTOR_STEP_READY_QUEUE_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>

namespace dfrun {

// A queue as long as the plan, since a node becomes ready once a step: it never wraps and is never checked for room.
// Thread safety: one thread at a time.
class ReadyQueue {
 public:
  // Makes room for `nodes` entries and the one that PushIf() may write beyond the end.
  explicit ReadyQueue(uint32_t nodes) : nodes_(new uint32_t[size_t{nodes} + 1]) {}

  bool empty() const { return head_ == tail_; }
  uint32_t size() const { return tail_ - head_; }
  void Clear() { head_ = tail_ = 0; }
  uint32_t next() const { return nodes_[head_]; }
  template <class F>
  bool Any(F&& is_wanted) const {
    return std::any_of(nodes_.get() + head_, nodes_.get() + tail_, is_wanted);
  }
  // Pushes the first `count` nodes of the plan.
  void PushRoots(uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) nodes_[tail_++] = i;
  }
  // Moves the later `count` entries to an empty queue of the same plan.
  void Give(uint32_t count, ReadyQueue& other) {
    tail_ -= count;
    std::memcpy(other.nodes_.get(), nodes_.get() + tail_, count * sizeof(uint32_t));
    other.tail_ = count;
  }

  // The ends of the queue, which the compiler can keep in registers. Between Commit() and Reload(), and outside of the
  // cursor's life, the queue itself is up to date.
  class Cursor {
   public:
    explicit Cursor(ReadyQueue& queue)
        : queue_(queue), nodes_(queue.nodes_.get()), head_(queue.head_), tail_(queue.tail_) {}
    bool empty() const { return head_ == tail_; }
    uint32_t size() const { return tail_ - head_; }
    uint32_t popped() const { return head_; }
    uint32_t Pop() { return nodes_[head_++]; }
    void Unpop() { --head_; }
    void Push(uint32_t node) { nodes_[tail_++] = node; }
    // Has no branch, since whether an input was the last one is hard to predict.
    void PushIf(uint32_t node, bool ready) {
      nodes_[tail_] = node;
      tail_ += ready ? 1 : 0;
    }
    void Commit() {
      queue_.head_ = head_;
      queue_.tail_ = tail_;
    }
    void Reload() {
      head_ = queue_.head_;
      tail_ = queue_.tail_;
    }

   private:
    ReadyQueue& queue_;
    uint32_t* const nodes_;
    uint32_t head_;
    uint32_t tail_;
  };

 private:
  std::unique_ptr<uint32_t[]> nodes_;
  uint32_t head_ = 0;
  uint32_t tail_ = 0;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_STEP_READY_QUEUE_H_
