#include "jobs/cost_file.h"

namespace dfrun::jobs {

Result<CostTable> BeginCostFile(const OutputFile& file, int threads) {
  if (file.path.empty()) return TableOfThisHost(threads);
  Result<CostTable> table = CostTable::Read(file.path);
  if (table.status().code() == Code::kNotFound) table = TableOfThisHost(threads);
  DF_TRY(table.status());
  DF_TRY(file.Check());
  return table;
}

Result<CostTable> ReadCostFile(const std::string& path) {
  Result<CostTable> table = CostTable::Read(path);
  if (table.status().code() == Code::kNotFound) return Error(Code::kNoInput, table.status().message());
  return table;
}

}  // namespace dfrun::jobs
