// How an unrolled net uses a table, found in its training graph.
#ifndef DFRUN_SRC_PASSES_TABLE_GRADIENTS_H_
#define DFRUN_SRC_PASSES_TABLE_GRADIENTS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "src/graph/graph.h"
#include "src/passes/fusion.h"

namespace dfrun {

// Columns of a product, which are rows of the matrix that it is by.
struct ColumnRange {
  int64_t first = 0;
  int64_t count = 0;
  int64_t end() const { return first + count; }
  bool operator==(const ColumnRange&) const = default;
};

// A product, of which some columns are packed.
struct TableStep {
  Output gradient;             // what is multiplied
  NodeId product = -1;         // by the transposed matrix
  NodeId whole = -1;           // what is read of it: itself, or an Identity of it
  std::vector<NodeId> slices;  // of the columns that are not packed
  // Where the table's rows are looked up as here:
  NodeId join = -1;             // the ConcatV2 of them and others
  Output other;                 // that
  bool other_is_zeros = false;  // a constant of them: the state that a net begins with
  NodeId forward = -1;          // the product of the join by the matrix
};

// How the table's rows come into the net, where nothing else reads them.
struct TableLookup {
  NodeId node;                  // gathers them
  std::vector<NodeId> between;  // it and the joins
  NodeId sum;                   // the matrix's gradient
  Output bias;                  // of the products, perhaps
};

// A table's gradient over the steps of a net.
struct TableGradient {
  const Node* end;                 // adds rows to the table, or up by what Unique gives
  Output keys;                     // one for each row
  std::vector<const Node*> scale;  // between the packed rows and the end
  const Node* reshape;
  const Node* pack;
  std::vector<TableStep> steps;
  Output matrix;
  ColumnRange packed;
  ColumnRange sliced;  // none: of count 0
  std::optional<TableLookup> lookup;

  // In the matrix, and in the joins.
  bool is_table_first() const { return packed.first == 0; }
};

// Those that SumEqualRows() may change, of which no two share a node. `order`: the graph's topological one.
std::vector<TableGradient> FindTableGradients(const FusionView& view, std::span<const NodeId> order);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_TABLE_GRADIENTS_H_
