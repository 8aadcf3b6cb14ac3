#include "src/job/returned_rows.h"

#include "src/base/text.h"

namespace dfrun {
namespace {

constexpr const char* kName = "returned";  // in Manifest::state
constexpr const char* kRows = "rows";

}  // namespace

int64_t CountReturned(const Tensor& returned, int64_t rows_of_share) {
  const std::span<const int64_t> values = returned.values<int64_t>();
  int64_t rows = 0;
  for (size_t i = 1; i < values.size(); i += 2) {
    if (rows_of_share == 0 || values[i] == rows_of_share) rows += values[i];
  }
  return rows;
}

void SaveReturned(int64_t rows, JsonValue& state) {
  if (rows == 0) return state.Remove(kName);
  JsonValue returned = JsonValue::Object();
  returned.Set(kRows, JsonValue::Int(rows));
  state.Set(kName, std::move(returned));
}

std::string TakeReturned(int64_t kept, JsonValue& state) {
  const JsonValue* const returned = state.Find(kName);
  const Result<int64_t> rows = returned == nullptr ? 0 : returned->GetInt(kRows);
  const int64_t left_out = rows.ok() ? *rows - kept : 0;
  state.Remove(kName);
  if (left_out <= 0) return "";
  return StrCat(left_out, left_out == 1 ? " row" : " rows",
                " that replicas had taken when the checkpoint was written, ", "and that no step had used, ",
                left_out == 1 ? "is" : "are", " left out");
}

}  // namespace dfrun
