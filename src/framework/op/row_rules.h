// Rules for OpBuilder::Rows() that many ops share. Each holds of kernels whose arithmetic on a row does not depend on
// the number of rows, nor on the other rows.
#ifndef DFRUN_SRC_FRAMEWORK_OP_ROW_RULES_H_
#define DFRUN_SRC_FRAMEWORK_OP_ROW_RULES_H_

#include <optional>
#include <string>
#include <vector>

#include "src/framework/op/sample_rows.h"

namespace dfrun {

// Each element of an output is computed from the elements at its position in the inputs, which are broadcast.
RowFn RowsOfElements();
// Row i of each output is computed from row i of each of these inputs; all other inputs are the same for every batch.
// Without a list these are all inputs.
RowFn RowsOfInputs(std::vector<int> inputs = {});
// RowsOfInputs({0}) where input 0 has at least this rank: dimensions behind the first are the op's own.
RowFn RowsOfRank(int least);
// Output 0 has the elements of input 0 in row-major order, in another shape.
RowFn RowsOfSameElements();
// Row i of each output is computed from row i of the inputs, where the axes that input `axes` gives, integers, do not
// hold the first one. `axes` below 0 counts from behind the last input. `fixed`: inputs that are no rows.
RowFn RowsUnlessAxis(int axes, std::vector<int> fixed = {});
// The rule reads the axis in an attr, for `inputs`. `of_output`: it counts the dimensions of the output. Without a list
// all inputs have rows.
RowFn RowsUnlessAxisOfAttr(std::string attr, bool of_output = false, std::vector<int> inputs = {});
// RowsOfInputs({0}) where output and input have the same first size: the op changes sizes and keeps the order.
RowFn RowsIfSameLength();
// The output depends on the shape of input 0 alone.
RowFn RowsOfShape();

// Returns the rows per sample that each of `inputs` has, or nothing: of some the rows are not known, or not the same
// number, or another input depends on the batch.
std::optional<int64_t> CommonRows(const RowContext& c, const std::vector<int>& inputs);

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_OP_ROW_RULES_H_
