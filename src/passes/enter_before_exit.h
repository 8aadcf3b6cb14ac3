// Loops that would wait for themselves to end before they begin.
#ifndef DFRUN_SRC_PASSES_ENTER_BEFORE_EXIT_H_
#define DFRUN_SRC_PASSES_ENTER_BEFORE_EXIT_H_

#include "src/graph/graph.h"

namespace dfrun {

// TensorFlow's gradients give the loop of the forward pass further Enters, such as that of a counter of its iterations.
// Where they were made under control dependencies (`with tf.control_dependencies([loss]): minimize(loss)`), the counter
// waits for the loss and so for the loop. TensorFlow lets an iteration begin with what there is, and such a graph ends
// there if the loop ends within parallel_iterations; here a loop begins when all has come. So control edges by which an
// Enter waits for an Exit of its own loop go, where what waited has no effect that others see; it waits for what else
// enters the loop instead, so that it is dead where that is. Values that enter a loop to be waited for alone are not
// waited for. A loop that waits for itself in other ways is left as it is.
// Takes time linear in the graph where no loop does. The shapes of the graph stay.
void EnterBeforeExit(Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_ENTER_BEFORE_EXIT_H_
