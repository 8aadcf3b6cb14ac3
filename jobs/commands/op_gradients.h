// The texts about an op's gradient in the listings of ops.
#ifndef DFRUN_JOBS_COMMANDS_OP_GRADIENTS_H_
#define DFRUN_JOBS_COMMANDS_OP_GRADIENTS_H_

#include <string>

#include "src/framework/op/op.h"

namespace dfrun::jobs {

// Returns a table cell of GradientFlow's words: `yes`, `none`, `zero`, `stops`, `state`, `draw`; `-` if no input, or no
// output, can have a gradient. If inputs differ: "yes; none for a, b"; if outputs do: "y: yes; sum: none".
std::string GradientCell(const OpDef& op);

// Returns the cell and, if it is not `yes`, the meaning of its words.
std::string GradientText(const OpDef& op);

// Returns the meaning of each word, one per line.
std::string GradientLegend();

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_COMMANDS_OP_GRADIENTS_H_
