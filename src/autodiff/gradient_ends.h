// Finds the places where a value changes with an x though no gradient comes back and the ops' gradients refuse nothing.
#ifndef DFRUN_SRC_AUTODIFF_GRADIENT_ENDS_H_
#define DFRUN_SRC_AUTODIFF_GRADIENT_ENDS_H_

#include <span>
#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

// An input of a node at which gradients end: kState or kDraw says why; kNone: the value goes on in a dtype that has no
// gradients, as the bits of a number do.
struct GradientEnd {
  NodeId node;
  int32_t input;
  GradientFlow why;
};

// Finds the ends of gradients, by node, on paths from the xs on which gradients could flow, where a y may change with
// something computed from the value: the parameter of a draw, a number that goes on in another form, or a value that a
// node that runs (`runs`: by node) puts into a variable, a queue or a table that a y reads. A value that goes into an x
// is no end, since that has a gradient of its own.
std::vector<GradientEnd> FindGradientEnds(const Graph& graph, std::span<const Output> ys, std::span<const Output> xs,
                                          const std::vector<bool>& runs);

}  // namespace dfrun

#endif  // DFRUN_SRC_AUTODIFF_GRADIENT_ENDS_H_
