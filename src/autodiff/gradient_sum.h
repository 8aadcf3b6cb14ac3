// Sums the gradients that reached one value on several paths.
#ifndef DFRUN_SRC_AUTODIFF_GRADIENT_SUM_H_
#define DFRUN_SRC_AUTODIFF_GRADIENT_SUM_H_

#include <string>
#include <vector>

#include "src/autodiff/gradient_value.h"
#include "src/autodiff/node_adder.h"

namespace dfrun {

// The node to be colocated with in order to be where the gradient is.
std::string SiteOf(const Graph& graph, const GradientValue& gradient);

// The sum of the existing gradients `parts` of x, in their order: the one there is, an AddN of dense ones, a
// concatenation of sparse ones, dense where both kinds are there. Without parts it does not exist.
GradientValue SumGradients(const Graph& graph, NodeAdder& adder, const std::vector<GradientValue>& parts, Output x);

// A tensor like x that holds the sparse gradient's rows and zeros.
Output ScatterToDense(const Graph& graph, NodeAdder& adder, const GradientValue& sparse, Output x);

}  // namespace dfrun

#endif  // DFRUN_SRC_AUTODIFF_GRADIENT_SUM_H_
