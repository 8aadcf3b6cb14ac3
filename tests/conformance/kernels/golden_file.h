// Reads golden cases; tests/golden/FORMAT.md describes them.
#ifndef DFRUN_TESTS_CONFORMANCE_KERNELS_GOLDEN_FILE_H_
#define DFRUN_TESTS_CONFORMANCE_KERNELS_GOLDEN_FILE_H_

#include <string>
#include <vector>

#include "src/framework/attr.h"
#include "src/framework/tensor.h"

namespace dfrun::testing {

// Keys and their values; dtypes without values for a table that is not filled.
struct TableContents {
  Tensor keys;
  Tensor values;
};

// An input that is the handle of a table.
struct GoldenTable {
  size_t input = 0;
  std::string op;  // that makes it
  TableContents contents;
};

struct GoldenCase {
  std::string op;
  std::string name;
  int line = 0;  // of the file
  AttrMap attrs;
  std::vector<Tensor> inputs;     // of a variable, its value
  std::vector<size_t> variables;  // numbers of the inputs that are variables
  std::vector<GoldenTable> tables;
  double ulps = 0;
  std::vector<Tensor> outputs;      // that are no refs
  std::vector<Tensor> after;        // values of the variables
  std::vector<TableContents> held;  // of the tables
  std::string error;                // code's name; empty: none
};

// Every case of a file. InvalidArgument names file and line.
Result<std::vector<GoldenCase>> ReadGoldenFile(const std::string& path);

// The folder of the cases: what the environment variable DFRUN_GOLDEN_DIR names, else that of the source tree.
std::string GoldenDir();

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_CONFORMANCE_KERNELS_GOLDEN_FILE_H_
