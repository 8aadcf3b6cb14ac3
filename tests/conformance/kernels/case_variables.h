// The variables of a golden case.
#ifndef DFRUN_TESTS_CONFORMANCE_KERNELS_CASE_VARIABLES_H_
#define DFRUN_TESTS_CONFORMANCE_KERNELS_CASE_VARIABLES_H_

#include <vector>

#include "src/framework/variable.h"
#include "tests/conformance/kernels/golden_file.h"

namespace dfrun::testing {

// Variables with the case's values, and the inputs of a node on them.
class CaseVariables {
 public:
  // `declare_shapes`: the variables declare the shapes of their values; else none.
  CaseVariables(const GoldenCase& c, bool declare_shapes);

  // In place of each variable a ref to it, or a handle where the op takes no refs.
  const std::vector<Tensor>& inputs() const { return inputs_; }
  const Variable& operator[](size_t i) const { return *variables_[i]; }
  // What the variables hold now.
  std::vector<Tensor> Values() const;

 private:
  std::vector<RefPtr<Variable>> variables_;
  std::vector<Tensor> inputs_;
};

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_CONFORMANCE_KERNELS_CASE_VARIABLES_H_
