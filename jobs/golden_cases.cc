// Counts the cases of tests/golden; tests/golden/FORMAT.md describes its files.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "jobs/op_listing.h"

namespace dfrun::jobs {
namespace {

constexpr std::string_view kCase = "case ";

void CountFile(const std::filesystem::path& path, std::map<std::string, int>& counts) {
  std::ifstream in(path);
  std::string line;
  while (std::getline(in, line)) {
    if (line.compare(0, kCase.size(), kCase) != 0) continue;
    std::istringstream words(line.substr(kCase.size()));
    std::string op;
    words >> op;
    ++counts[op];
  }
}

}  // namespace

Result<std::map<std::string, int>> CountGoldenCases(const std::string& directory) {
  std::map<std::string, int> counts;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (entry.path().extension() == ".txt") CountFile(entry.path(), counts);
  }
  if (error) return IoError("cannot read the directory '", directory, "': ", error.message());
  return counts;
}

}  // namespace dfrun::jobs
