// A table whose rows an unrolled net looks up, many of them more than once: each different row is multiplied once, and
// the gradients of equal rows are added up before they are multiplied, not after.
#ifndef DFRUN_SRC_PASSES_SUM_EQUAL_ROWS_H_
#define DFRUN_SRC_PASSES_SUM_EQUAL_ROWS_H_

#include "src/base/status.h"
#include "src/graph/graph.h"

namespace dfrun {

// A _PackColumns of many MatMuls by one transposed matrix whose rows, perhaps times scalars, are added to a table
// (ScatterAdd, ScatterSub and those of resources), or up by UnsortedSegmentSum as Unique gives them, becomes one MatMul
// of the sums of what rows of equal indices are made of (_SumEqualRows); what else was read of the MatMuls, the state's
// gradients, becomes MatMuls by the other rows of the matrix.
// Where ConcatV2s of the rows that are looked up by the same indices and others are only multiplied by the matrix, and
// by those operands for a _MatMulSum, the matrix's gradient, different rows are looked up and multiplied once, products
// of the others begin with those (_MatMulByPanels), and the sum has a part of its own for the table's rows.
// Results differ by the order in which is added. Left alone are small products, those of a variable that changes
// between them, and graphs with control flow or whose registry has no such ops.
Status SumEqualRows(Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_SUM_EQUAL_ROWS_H_
