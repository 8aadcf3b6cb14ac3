// The samples of a batch in the values of nodes: how they lie there, and whether each sample's part is a function of
// that sample alone, with equal bits in every batch. A trait of the op says how the rows of its outputs follow from
// those of its inputs; `dfrun predict` runs batches of any size where all nodes keep the samples apart.
//
// A rule speaks of CPU kernels. The conformance suite tests each rule on the op's golden cases: a row alone, rows in
// batches of 2, 3, 16 and 64, and rows in another order must have equal bits.
#ifndef DFRUN_SRC_FRAMEWORK_OP_SAMPLE_ROWS_H_
#define DFRUN_SRC_FRAMEWORK_OP_SAMPLE_ROWS_H_

#include <cstdint>
#include <functional>

#include "src/framework/op/constant_value.h"
#include "src/framework/values/attr.h"
#include "src/framework/values/shape.h"

namespace dfrun {

struct SampleRows {
  enum class Kind : uint8_t {
    kNone,       // the value is the same for every batch
    kBatchSize,  // the value depends on the number of samples, and on nothing else of them
    kRows,   // the first dimension has `per_sample` rows a sample, in the samples' order, each a function of its sample
    kMixed,  // anything else
  };

  Kind kind = Kind::kMixed;
  int64_t per_sample = 1;  // for kRows

  static constexpr SampleRows None() { return {Kind::kNone, 1}; }
  static constexpr SampleRows BatchSize() { return {Kind::kBatchSize, 1}; }
  static constexpr SampleRows Rows(int64_t per_sample = 1) { return {Kind::kRows, per_sample}; }
  static constexpr SampleRows Mixed() { return {}; }

  bool is_none() const { return kind == Kind::kNone; }
  bool is_rows() const { return kind == Kind::kRows; }
  bool operator==(const SampleRows&) const = default;
};

// A node as its rule sees it. Implemented by src/graph.
// Thread safety: one thread.
class RowContext {
 public:
  virtual ~RowContext() = default;

  virtual int num_inputs() const = 0;
  virtual const AttrMap& attrs() const = 0;
  virtual const PartialShape& input_shape(int i) const = 0;
  virtual const PartialShape& output_shape(int i) const = 0;
  // The rows of an input.
  virtual SampleRows rows(int i) const = 0;
  // Integers of an input that are known before a step runs.
  virtual MaybeConstant value(int i) const = 0;
  // The number of samples in the batch.
  virtual int64_t samples() const = 0;
};

// Returns the rows of an output. It is asked only where some input is not SampleRows::None().
using RowFn = std::function<SampleRows(const RowContext&, int output)>;

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_OP_SAMPLE_ROWS_H_
