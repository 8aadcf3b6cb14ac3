// The type of a queue: which elements it takes, how many, and in what order it gives them.
#ifndef DFRUN_KERNELS_QUEUES_QUEUE_TYPE_H_
#define DFRUN_KERNELS_QUEUES_QUEUE_TYPE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "src/framework/values/shape.h"

namespace dfrun {

struct QueueType {
  std::string kind;  // the op that makes it, without "V2": "FIFOQueue"
  std::vector<DType> dtypes;
  std::vector<PartialShape> shapes;            // shapes of the components; none: elements of any shapes
  int64_t capacity = -1;                       // negative: no bound
  int64_t min_after_dequeue = 0;               // elements that stay while the queue is open
  bool pads = false;                           // batches are padded to their largest element
  std::pair<int64_t, int64_t> seeds = {0, 0};  // seeds of the order in which it shuffles; 0, 0: any

  // True if a node that asks for `asked` may share a queue of this type: components, bounds and kind are the same. If
  // it pads, the shapes need only be compatible, and any seeds match.
  bool Serves(const QueueType& asked) const;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_QUEUES_QUEUE_TYPE_H_
