// The variables and tables of a golden case.
#ifndef DFRUN_TESTS_CONFORMANCE_KERNELS_CASE_VARIABLES_H_
#define DFRUN_TESTS_CONFORMANCE_KERNELS_CASE_VARIABLES_H_

#include <vector>

#include "kernels/lookup/lookup_table.h"
#include "src/framework/kernel/variable.h"
#include "tests/conformance/kernels/golden_file.h"

namespace dfrun::testing {

// Makes variables and tables with the case's contents, and the inputs of a node that uses them.
class CaseVariables {
 public:
  // `declare_shapes`: the variables declare the shapes of their values; otherwise they declare none. Their values are
  // in the device's memory, which must outlive them.
  CaseVariables(const GoldenCase& c, bool declare_shapes, Device& device);

  static bool Has(const GoldenCase& c) { return !c.variables.empty() || !c.tables.empty(); }

  // Returns the node's inputs. In place of a variable there is a ref to it, or a handle if the op takes no refs; in
  // place of a table there is its handle.
  const std::vector<Tensor>& inputs() const { return inputs_; }
  const Variable& operator[](size_t i) const { return *variables_[i]; }
  // Returns the current values of the variables, in host memory.
  std::vector<Tensor> Values() const;
  // Returns the current contents of the tables.
  std::vector<TableContents> Held() const;

 private:
  Device& device_;
  std::vector<RefPtr<Variable>> variables_;
  std::vector<RefPtr<LookupTable>> tables_;
  std::vector<Tensor> inputs_;
};

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_CONFORMANCE_KERNELS_CASE_VARIABLES_H_
