// The content of the op and kernel registries as text: one op for a reader, all ops for a review, all ops as a table.
#ifndef DFRUN_JOBS_COMMANDS_OP_LISTING_H_
#define DFRUN_JOBS_COMMANDS_OP_LISTING_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/framework/op/op.h"

namespace dfrun::jobs {

// Returns the dtypes of an op's kernels by device type: "T=float32,float64" for each attr that kernels depend on, "any"
// for a kernel of every dtype.
std::map<std::string, std::vector<std::string>> KernelTypes(const OpDef& op);

// Describes an op: signature, meaning, properties, gradient, kernels.
std::string DescribeOp(const OpDef& op);

// Returns the ops whose names, aliases or descriptions contain the word, in any case; those with it in their names come
// first.
std::vector<const OpDef*> SearchOps(std::string_view word);
// Returns a line for each op with its name and its meaning.
std::string OpSummaries(const std::vector<const OpDef*>& ops);

// Returns every op with all that is registered for it, sorted, as tests/golden/registry/ops.txt holds it.
std::string RegistryDump();

// The tests that show that an op is right.
struct OpTests {
  int cases = 0;     // golden cases of one node
  int graphs = 0;    // exported graphs that contain the op
  std::string test;  // source of a test program that names the op
  std::string gpu;   // dtypes of its kernels for GPUs, in the form of KernelTypes(); empty if it has none
};

// Finds the tests by op in a directory like tests/. Golden cases are in golden/*.txt.gz, graphs and sources anywhere
// below. Fuzzers do not count, since they show no values. Kernels for GPUs are listed in golden/registry/gpu.txt, since
// not every build has them. Io for a file that cannot be read, DataLoss for golden cases that are damaged, BadSpec for
// a graph that is none.
Result<std::map<std::string, OpTests>> FindOpTests(const std::string& directory);

// Returns a Markdown page with a row for each op, as docs/OPS.md holds it.
std::string OpsTable(const std::map<std::string, OpTests>& tests);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_COMMANDS_OP_LISTING_H_
