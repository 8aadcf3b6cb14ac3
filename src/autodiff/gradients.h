// Differentiation: extends a graph by the nodes that compute gradients, by the gradient functions of its ops.
// Source: TensorFlow white paper (2015) section 4.1; the semantics of TensorFlow's tf.gradients.
#ifndef DFRUN_SRC_AUTODIFF_GRADIENTS_H_
#define DFRUN_SRC_AUTODIFF_GRADIENTS_H_

#include <span>
#include <string>
#include <vector>

#include "src/autodiff/gradient_value.h"
#include "src/graph/graph.h"

namespace dfrun {

// The sum over ys of d y / d x, for every x. Takes time linear in the graph.
//  * A value that is reached on several paths gets the sum of their gradients, in a fixed order.
//  * A path ends where the op says so of the two arguments (src/framework/op/gradient_flow.h), at values that are
//  neither
//    floating-point nor complex, and at the xs where nothing beyond needs it.
//  * Sparse gradients stay sparse: several are concatenated; a sparse and a dense one make a dense sum.
//  * New nodes are named `scope/<node>_grad/<op>` and are colocated with the node that they differentiate; a sum with
//    its first part, so that a variable's gradient is added up where the variable is used.
//  * A node whose attr _gradient_op_type names an op has that op's gradient (TensorFlow's gradient_override_map).
//  * In a conditional the gradient of the branch that was taken runs; that of the other counts as zeros.
//  * The gradient of a loop is a loop that goes through the iterations backwards (src/autodiff/gradient_scope.h), and
//    can be differentiated itself.
// InvalidArgument: an x or y that is not floating-point or complex; a grad_y of another dtype or shape; a node on a
// path from an x to a y whose op has no gradient between the two arguments, or whose _gradient_op_type is no op, named
// with that path. Unimplemented: an x or y inside a loop, loops that are not of the form of while loops, and stacks
// other than those of gradients of loops (one node pushes in one loop, one node pops in another that runs after it);
// the node is named. After an error the graph is of no use: it may hold part of the new nodes.
Result<std::vector<GradientValue>> AddGradients(Graph& graph, std::span<const Output> ys, std::span<const Output> xs,
                                                const GradientOptions& options = {});

// The gradient as one tensor of x's shape. Adds nodes for a sparse one, under `name` and where its values are; needs
// gradient.exists.
Result<Output> DenseGradient(Graph& graph, const GradientValue& gradient, Output x, const std::string& name);

}  // namespace dfrun

#endif  // DFRUN_SRC_AUTODIFF_GRADIENTS_H_
