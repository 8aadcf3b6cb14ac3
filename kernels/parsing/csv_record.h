// Fields of a record of comma-separated values (RFC 4180).
#ifndef DFRUN_KERNELS_PARSING_CSV_RECORD_H_
#define DFRUN_KERNELS_PARSING_CSV_RECORD_H_

#include <string>
#include <string_view>
#include <vector>

#include "src/base/status.h"

namespace dfrun {

struct CsvFormat {
  char delimiter = ',';
  bool quotes = true;  // fields in "..." may hold delimiters, and "" for a quote
};

// All fields of a record. InvalidArgument for quotes or line ends inside a field without quotes, and for a quoted field
// that does not end before a delimiter.
Result<std::vector<std::string>> CsvFields(std::string_view record, const CsvFormat& format);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_PARSING_CSV_RECORD_H_
