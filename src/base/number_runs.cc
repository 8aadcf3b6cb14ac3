#include "src/base/number_runs.h"

#include <cstddef>

#include "src/base/status.h"

namespace dfrun {
namespace {

constexpr size_t kShortestRun = 4;
constexpr int kMaxEntries = 8;

}  // namespace

std::string NumberRuns(std::span<const int> ascending) {
  std::string text;
  int entries = 0;
  size_t i = 0;
  while (i < ascending.size() && entries < kMaxEntries) {
    size_t end = i + 1;
    while (end < ascending.size() && ascending[end] == ascending[end - 1] + 1) ++end;
    const bool is_run = end - i >= kShortestRun;
    text += StrCat(entries++ == 0 ? "" : ", ", ascending[i]);
    if (is_run) text += StrCat(" to ", ascending[end - 1]);
    i = is_run ? end : i + 1;
  }
  if (i < ascending.size()) text += StrCat(", and ", ascending.size() - i, " more");
  return text;
}

}  // namespace dfrun
