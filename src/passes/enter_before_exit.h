// Removes control edges by which a loop would wait for its own end before it begins.
#ifndef DFRUN_SRC_PASSES_ENTER_BEFORE_EXIT_H_
#define DFRUN_SRC_PASSES_ENTER_BEFORE_EXIT_H_

#include "src/graph/graph.h"

namespace dfrun {

// Removes control edges by which an Enter waits for an Exit of its own loop. TensorFlow's gradients give the loop of
// the forward pass further Enters, such as that of a counter of its iterations. Where they were made under control
// dependencies (`with tf.control_dependencies([loss]): minimize(loss)`), the counter waits for the loss and so for the
// loop. In TensorFlow an iteration begins with the Enters that have come, and such a graph ends there if the loop ends
// within parallel_iterations; here a loop begins when all Enters have come. The edges go where the waiting node has no
// effect that others see; it waits for the other values that enter the loop instead, so that it is dead where they are.
// Values that enter a loop only to be waited for are not waited for. A loop that waits for itself in other ways is left
// as it is. Takes time linear in the graph where no loop does. The shapes of the graph stay.
void EnterBeforeExit(Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_ENTER_BEFORE_EXIT_H_
