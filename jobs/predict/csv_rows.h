// Rows of tensors as lines of CSV (RFC 4180).
#ifndef DFRUN_JOBS_PREDICT_CSV_ROWS_H_
#define DFRUN_JOBS_PREDICT_CSV_ROWS_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/framework/values/tensor.h"
#include "src/job/fetched_arrays.h"

namespace dfrun::jobs {

// The path of a sample's file, by its number; empty: samples are not files.
using PathOfSample = std::function<std::string_view(int64_t sample)>;

// The line of names: row, path where there are paths, and a column for each element of a row: NAME for a scalar, NAME_0
// of a vector, NAME_0_1 of a matrix. `arrays`: whole arrays, whose first dimension counts the rows. InvalidArgument for
// more columns than a CSV file can sensibly have.
Result<std::string> CsvHeader(const std::vector<ArrayInfo>& arrays, bool has_paths);

// The lines of rows, the first of which is row `first`. Numbers are the shortest that read back as the same bits; bools
// are 0 and 1, complex numbers like 1+2j.
std::string CsvLines(int64_t first, std::span<const Tensor> values, const PathOfSample& path);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_PREDICT_CSV_ROWS_H_
