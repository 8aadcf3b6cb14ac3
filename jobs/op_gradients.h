// What the listings of ops say of an op's gradient.
#ifndef DFRUN_JOBS_OP_GRADIENTS_H_
#define DFRUN_JOBS_OP_GRADIENTS_H_

#include <string>

#include "src/framework/op.h"

namespace dfrun::jobs {

// Words of GradientFlow: `yes`, `none`, `zero`, `stops`, `state`, `draw`; `-` where no input, or no output, can have a
// gradient. Where inputs differ: "yes; none for a, b"; where outputs do: "y: yes; sum: none".
std::string GradientCell(const OpDef& op);

// The same, and what the words mean, where it is not `yes`.
std::string GradientText(const OpDef& op);

// What each word means: a line each.
std::string GradientLegend();

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_OP_GRADIENTS_H_
