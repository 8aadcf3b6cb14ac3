// The variables and tables of a golden case.
#ifndef DFRUN_TESTS_CONFORMANCE_KERNELS_CASE_VARIABLES_H_
#define DFRUN_TESTS_CONFORMANCE_KERNELS_CASE_VARIABLES_H_

#include <vector>

#include "kernels/lookup/lookup_table.h"
#include "src/framework/variable.h"
#include "tests/conformance/kernels/golden_file.h"

namespace dfrun::testing {

// Variables and tables with the case's contents, and the inputs of a node on them.
class CaseVariables {
 public:
  // `declare_shapes`: the variables declare the shapes of their values; else none. Their values are the device's, which
  // outlives them.
  CaseVariables(const GoldenCase& c, bool declare_shapes, Device& device);

  static bool Has(const GoldenCase& c) { return !c.variables.empty() || !c.tables.empty(); }

  // In place of each variable a ref to it, or a handle where the op takes no refs; of each table its handle.
  const std::vector<Tensor>& inputs() const { return inputs_; }
  const Variable& operator[](size_t i) const { return *variables_[i]; }
  // What the variables hold now, in host memory.
  std::vector<Tensor> Values() const;
  // What the tables hold now.
  std::vector<TableContents> Held() const;

 private:
  Device& device_;
  std::vector<RefPtr<Variable>> variables_;
  std::vector<RefPtr<LookupTable>> tables_;
  std::vector<Tensor> inputs_;
};

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_CONFORMANCE_KERNELS_CASE_VARIABLES_H_
