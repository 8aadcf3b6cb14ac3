// The gradients of a table whose rows an unrolled net looks up, many of them more than once: gradients of equal rows
// are added up before they are multiplied, not after.
#ifndef DFRUN_SRC_PASSES_SUM_EQUAL_ROWS_H_
#define DFRUN_SRC_PASSES_SUM_EQUAL_ROWS_H_

#include "src/base/status.h"
#include "src/graph/graph.h"

namespace dfrun {

// A _PackColumns of MatMuls by one transposed matrix whose rows, perhaps times scalars, are added to a table
// (ScatterAdd, ScatterSub and those of resources), or up by UnsortedSegmentSum as Unique gives them, becomes one MatMul
// of the sums of what rows of equal indices are made of (_SumEqualRows); what else was read of the MatMuls, the state's
// gradients, becomes MatMuls by the other rows of the matrix. Where a _MatMulSum has the same operands, by ConcatV2s of
// the looked up rows and others, the matrix's gradient, its part of the rows of the table becomes one product of the
// different ones by those sums. Results differ by the order in which is added. Left alone are small products, graphs
// with control flow or whose registry has no such ops.
Status SumEqualRows(Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_SUM_EQUAL_ROWS_H_
