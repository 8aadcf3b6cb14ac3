// The elements of a queue, in the order of its kind.
#ifndef DFRUN_KERNELS_QUEUES_ELEMENT_STORE_H_
#define DFRUN_KERNELS_QUEUES_ELEMENT_STORE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/random/philox.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

// An owned tensor for each component.
using QueueElement = std::vector<Tensor>;

// A place in a sequence of random numbers.
struct DrawnNumbers {
  Philox start;        // the generator of the whole sequence
  uint64_t count = 0;  // numbers that have been drawn
};

// Thread safety: as a vector.
class ElementStore {
 public:
  virtual ~ElementStore() = default;
  virtual int64_t size() const = 0;
  virtual void Push(QueueElement element) = 0;
  // The next element; size() > 0.
  virtual QueueElement Pop() = 0;
  // Returns the element that Pop() gave last: it is the next again.
  virtual void PutBack(QueueElement element) = 0;

  // All elements, in an order in which Push() brings an empty store of the kind to the same ones.
  virtual std::vector<const QueueElement*> Elements() const = 0;
  virtual void Clear() = 0;
  // The position of a store that draws in its random numbers; nothing for one that does not.
  virtual std::optional<DrawnNumbers> drawn() const { return std::nullopt; }
  virtual void set_drawn(const DrawnNumbers& /*drawn*/) {}
};

// First in, first out.
std::unique_ptr<ElementStore> NewFifoStore();
// Any element, drawn by the generator: the sequence is that of TensorFlow's RandomShuffleQueue with the same seeds.
std::unique_ptr<ElementStore> NewShuffleStore(const Philox& generator);
// Least first by component 0, an int64 scalar; of equal ones first in, first out.
std::unique_ptr<ElementStore> NewPriorityStore();

}  // namespace dfrun

#endif  // DFRUN_KERNELS_QUEUES_ELEMENT_STORE_H_
