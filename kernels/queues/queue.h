// Queues of tuples of tensors: FIFO, shuffling, padding and by priority.
//
// Enqueues stand in one line and dequeues in another. A call that cannot be served at once waits without a thread.
//
// A step that fails ends its calls that wait: what a dequeue had taken is back in the queue, what an enqueue of many
// had put stays. Calls of that step that had ended before keep their effect: elements that such a dequeue took are
// gone. Semantics: TensorFlow's queues.
#ifndef DFRUN_KERNELS_QUEUES_QUEUE_H_
#define DFRUN_KERNELS_QUEUES_QUEUE_H_

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/queues/async_wait_queue.h"
#include "kernels/queues/element_store.h"
#include "kernels/queues/queue_type.h"

namespace dfrun {

// A batch of dequeued elements is one tensor a component, the elements along a new first dimension.
// Thread safety: all methods from any thread.
class Queue final : public AsyncWaitQueue {
 public:
  Queue(std::string name, QueueType type, std::unique_ptr<ElementStore> elements)
      : name_(std::move(name)), type_(std::move(type)), elements_(std::move(elements)) {}

  const std::string& name() const { return name_; }
  const QueueType& type() const { return type_; }
  // Why elements of so many components, or with such a component c, are none of this queue; OK if they are.
  Status CheckComponents(size_t count) const;
  Status CheckComponent(size_t c, DType dtype, const Shape& shape) const;
  // OK if the queue can give batches: its components have known shapes or, where it pads, known ranks.
  Status CheckBatches() const;

  // Each takes the call of an op and ends with `done`.
  // Adds elements that those checks have passed; Cancelled where the queue is closed.
  void Enqueue(OpContext& ctx, std::vector<QueueElement> elements, Callback done);
  // Sets the outputs to one element; OutOfRange where the queue is closed and empty.
  void Dequeue(OpContext& ctx, Callback done);
  // Sets the outputs to batches of n elements. Where the queue is closed with fewer: of those that there are if
  // `up_to` and there is one, else OutOfRange, and they stay.
  void DequeueMany(OpContext& ctx, int64_t n, bool up_to, Callback done);
  // No more elements are taken. Enqueues that wait are cancelled, or served first.
  void Close(OpContext& ctx, bool cancel_pending_enqueues, Callback done);

  // The parts that a checkpoint keeps, named by PartsOfQueue() in queue_state.cc. Nothing may wait in the queue.
  Result<std::vector<Tensor>> SaveState(Allocator& allocator) const EXCLUDES(mu_);
  Status RestoreState(std::span<const Tensor> parts, Allocator& allocator) EXCLUDES(mu_);

  int64_t size() const EXCLUDES(mu_);
  bool is_closed() const EXCLUDES(mu_);
  std::string DebugString() const override;

 private:
  class Enqueuing;
  class Closing;
  class Dequeuing;
  static constexpr size_t kEnqueues = 0;
  static constexpr size_t kDequeues = 1;

  // A call in one of the two lines.
  class Call : public WaitingCall {
   public:
    using WaitingCall::WaitingCall;
    virtual Progress ServeBy(Queue& queue) REQUIRES(queue.mu_) = 0;
    virtual void UndoBy(Queue& /*queue*/) {}
  };

  Progress Serve(WaitingCall& waiting_call) override REQUIRES(mu_);
  void Undo(WaitingCall& waiting_call) override REQUIRES(mu_);
  bool IsFull() const REQUIRES(mu_);
  // The elements that the parts of their components hold, from the first on.
  Result<std::vector<QueueElement>> ElementsOf(std::span<const Tensor> parts, Allocator& allocator) const;
  // Ends the call with an error, after Claim().
  static Progress Refuse(WaitingCall& waiting_call, Status status);

  const std::string name_;
  const QueueType type_;
  const std::unique_ptr<ElementStore> elements_ GUARDED_BY(mu_);
  bool is_closed_ GUARDED_BY(mu_) = false;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_QUEUES_QUEUE_H_
