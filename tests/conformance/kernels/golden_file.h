// The reader of golden cases; tests/golden/FORMAT.md describes them.
#ifndef DFRUN_TESTS_CONFORMANCE_KERNELS_GOLDEN_FILE_H_
#define DFRUN_TESTS_CONFORMANCE_KERNELS_GOLDEN_FILE_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "src/framework/values/attr.h"
#include "src/framework/values/tensor.h"

namespace dfrun::testing {

// The keys and values of a table. A table that is not filled has dtypes without values.
struct TableContents {
  Tensor keys;
  Tensor values;
};

// A table whose handle is an input.
struct GoldenTable {
  size_t input = 0;
  std::string op;  // op that makes the table
  TableContents contents;
};

struct GoldenCase {
  std::string op;
  std::string name;
  int line = 0;  // line in the file
  AttrMap attrs;
  std::vector<Tensor> inputs;     // a variable stands with its value
  std::vector<size_t> variables;  // numbers of the inputs that are variables
  std::vector<GoldenTable> tables;
  double ulps = 0;
  std::vector<Tensor> outputs;      // without refs
  std::vector<Tensor> after;        // values of the variables after the call
  std::vector<TableContents> held;  // contents of the tables after the call
  std::string error;                // name of the error's code; empty: none
};

// A file's text, unpacked. A case is parsed when it is asked for, so that a list of tests costs no parsing.
struct GoldenText {
  std::string path;
  std::string text;
};

// Unpacks a file. DataLoss where it is no gzip or is cut short. Errors name the path.
Result<GoldenText> ReadGoldenText(const std::string& path);
// Returns the ops that have cases in the file.
std::set<std::string> OpsOf(const GoldenText& file);
// Parses the cases of an op, or all cases where `op` is empty. InvalidArgument names file and line.
Result<std::vector<GoldenCase>> ParseCases(const GoldenText& file, std::string_view op = "");
// Reads every case of a file; errors of both.
Result<std::vector<GoldenCase>> ReadGoldenFile(const std::string& path);

// Returns the folder of the cases: the environment variable DFRUN_GOLDEN_DIR, or else the folder in the source tree.
std::string GoldenDir();
// Returns the files of cases in a folder, sorted.
std::vector<std::string> GoldenFiles(const std::string& folder);
// Returns "math" for "gradients/math.txt.gz".
std::string FamilyOf(const std::string& path);

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_CONFORMANCE_KERNELS_GOLDEN_FILE_H_
