// The ways of the rows of a prediction into its file. Rows come in order; a sink that is resumed goes on behind those
// that its file has.
#ifndef DFRUN_JOBS_PREDICT_ROW_SINKS_H_
#define DFRUN_JOBS_PREDICT_ROW_SINKS_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "jobs/output_file.h"
#include "jobs/predict/csv_rows.h"
#include "jobs/predict/partial_file.h"
#include "src/framework/values/tensor.h"
#include "src/training/prediction.h"

namespace dfrun::jobs {

// Thread safety: one thread.
class RowSink {
 public:
  virtual ~RowSink() = default;
  // Begins the file, or goes on with it where it is resumed.
  virtual Status Begin() = 0;
  // Where parts are to write the rows themselves; empty: their values come here.
  virtual std::vector<RowsInFile> Places() const { return {}; }
  // The next rows: `samples` of them from row `first` on. Where Places() are given, `values` count the rows written.
  virtual Status Take(int64_t first, int64_t samples, std::span<const Tensor> values) = 0;
  // RowRecord::bytes of the rows so far.
  virtual int64_t bytes() const { return 0; }
  // Completes the file and puts it into place.
  virtual Status Finish() = 0;
};

struct SinkRequest {
  const std::vector<PredictedRows>& fetches;
  int64_t rows = 0;
  const OutputFile& target;
  PathOfSample path = {};  // for CSV
  bool pads = false;
};

// HDF5: each part writes its rows at their offsets. Plain dtypes and rows of known shapes alone.
std::unique_ptr<RowSink> MakePlacedRows(const SinkRequest& request, PartialFile& file);
// CSV: rows of known shapes, appended in order.
std::unique_ptr<RowSink> MakeCsvRows(const SinkRequest& request, PartialFile& file);
// HDF5 with strings, which are kept in memory until the end, since the file must know their lengths.
std::unique_ptr<RowSink> MakeStoredRows(const SinkRequest& request);
// HDF5 or CSV: rows whose sizes follow from the batch. They are kept in the temporary file, and at the end written with
// the sizes of the largest, behind their elements padded with zeros.
std::unique_ptr<RowSink> MakePaddedRows(const SinkRequest& request, PartialFile& file, bool is_csv);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_PREDICT_ROW_SINKS_H_
