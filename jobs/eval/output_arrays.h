// An array store in an HDF5 file that the command line names. Arrays are written as they come.
#ifndef DFRUN_JOBS_EVAL_OUTPUT_ARRAYS_H_
#define DFRUN_JOBS_EVAL_OUTPUT_ARRAYS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "jobs/output_file.h"
#include "src/job/fetched_arrays.h"

namespace dfrun::jobs {

// Writes one dataset for each array, under its name, and the mark of a file that dfrun wrote. Of several arrays with
// one name only the first is written. Strings are kept in memory until End(), since the file must know their lengths.
// End() puts the file into place.
class OutputArrays final : public ArrayStore {
 public:
  explicit OutputArrays(OutputFile target) : target_(std::move(target)) {}

  Status Begin(const std::vector<ArrayInfo>& arrays) override;
  Status Append(size_t array, const Tensor& elements) override;
  Status End() override;

 private:
  struct Dataset {
    ArrayInfo info;
    bool is_written = false;  // false: an earlier array has its name
    uint64_t offset = 0;      // offset of the next elements in the file
    Tensor strings = {};      // strings kept until End(), flat
    int64_t appended = 0;     // number of elements
  };

  Status AddDataset(const ArrayInfo& info);

  const OutputFile target_;
  std::optional<OutputDraft> draft_;
  std::unique_ptr<Hdf5Writer> file_;
  std::vector<Dataset> datasets_;
};

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_EVAL_OUTPUT_ARRAYS_H_
