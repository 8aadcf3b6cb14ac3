// Elements of a queue as batches, and batches as elements.
#ifndef DFRUN_KERNELS_QUEUES_ELEMENT_BATCH_H_
#define DFRUN_KERNELS_QUEUES_ELEMENT_BATCH_H_

#include <vector>

#include "kernels/queues/element_store.h"
#include "kernels/queues/queue_type.h"

namespace dfrun {

// The op's inputs from `first` on as one element.
Result<QueueElement> ElementOfInputs(OpContext& ctx, int first);
// The inputs from `first` on as one element for each of their rows. InvalidArgument where they are scalars or differ in
// their rows.
Result<std::vector<QueueElement>> ElementsOfInputs(OpContext& ctx, int first);
// Sets the op's outputs to the elements along a new first dimension; where the queue pads, smaller elements end in
// zeros or empty strings.
Status GiveBatch(OpContext& ctx, const QueueType& type, const std::vector<QueueElement>& elements);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_QUEUES_ELEMENT_BATCH_H_
