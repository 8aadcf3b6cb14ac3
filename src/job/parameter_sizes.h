// The size of a model: its variables, their elements and bytes.
#ifndef DFRUN_SRC_JOB_PARAMETER_SIZES_H_
#define DFRUN_SRC_JOB_PARAMETER_SIZES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/spec/job_spec.h"

namespace dfrun {

// A string counts no bytes. A variable whose shape is not known before the run counts no elements.
struct VariableSizes {
  int64_t variables = 0;
  int64_t elements = 0;
  int64_t bytes = 0;
  void Add(const VariableSizes& other);
};

struct ScopeSizes {
  std::string scope;  // "h1" of h1/W and h1/b; the name of a variable that is in no scope
  VariableSizes sizes;
};

struct ModelSizes {
  std::vector<ScopeSizes> trained;  // the parameters, by scope, in the order of the graph
  VariableSizes parameters;         // their sum
  VariableSizes frozen;             // variables that it would change, but for `freeze`
  VariableSizes others;             // variables that no optimizer changes, except positions of inputs
};

// A scope is the first part of a name. Where all parameters are in one it is the first parts in which they differ:
// loss/b1, loss/b2.
ModelSizes SizesOf(const LoadedSpec& spec);

// A table with a line a scope, of at most `max_scopes`, and one of the sum; "" where there are no variables. Lines
// begin with two blanks.
std::string PrintTable(const ModelSizes& sizes, size_t max_scopes = 20);

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_PARAMETER_SIZES_H_
