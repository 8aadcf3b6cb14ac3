// Reads golden cases; tests/golden/FORMAT.md describes them.
#ifndef DFRUN_TESTS_CONFORMANCE_KERNELS_GOLDEN_FILE_H_
#define DFRUN_TESTS_CONFORMANCE_KERNELS_GOLDEN_FILE_H_

#include <string>
#include <vector>

#include "src/framework/attr.h"
#include "src/framework/tensor.h"

namespace dfrun::testing {

struct GoldenCase {
  std::string op;
  std::string name;
  int line = 0;  // of the file
  AttrMap attrs;
  std::vector<Tensor> inputs;     // of a variable, its value
  std::vector<size_t> variables;  // numbers of the inputs that are variables
  double ulps = 0;
  std::vector<Tensor> outputs;  // that are no refs
  std::vector<Tensor> after;    // values of the variables
  std::string error;            // code's name; empty: none
};

// Every case of a file. InvalidArgument names file and line.
Result<std::vector<GoldenCase>> ReadGoldenFile(const std::string& path);

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_CONFORMANCE_KERNELS_GOLDEN_FILE_H_
