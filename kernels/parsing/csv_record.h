// Fields of a record of comma-separated values (RFC 4180).
#ifndef DFRUN_KERNELS_PARSING_CSV_RECORD_H_
#define DFRUN_KERNELS_PARSING_CSV_RECORD_H_

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/status.h"

namespace dfrun {

struct CsvFormat {
  char delimiter = ',';
  bool quotes = true;  // fields in "..." may hold delimiters, and "" for a quote
};

// The fields of a record, all or the first `limit`; the text behind them is not looked at. InvalidArgument for quotes
// or line ends inside a field without quotes, and for a quoted field that does not end before a delimiter.
Result<std::vector<std::string>> CsvFields(std::string_view record, const CsvFormat& format,
                                           size_t limit = std::numeric_limits<size_t>::max());

}  // namespace dfrun

#endif  // DFRUN_KERNELS_PARSING_CSV_RECORD_H_
