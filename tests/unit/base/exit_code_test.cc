// The table of docs/exit-codes.md must agree with the program.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>

#include "src/base/status.h"
#include "src/base/stop_request.h"

namespace dfrun {
namespace {

constexpr int kCodes = static_cast<int>(Code::kUserSignal) + 1;

std::string Trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

// Returns the exit codes by the name of the error, from the table's first and last columns.
std::map<std::string, int> ReadTable() {
  std::map<std::string, int> codes;
  std::ifstream file("docs/exit-codes.md");
  for (std::string line; std::getline(file, line);) {
    if (line.size() < 3 || line[0] != '|' || line[2] < '0' || line[2] > '9') continue;
    const size_t last = line.rfind('|', line.size() - 2);
    std::istringstream names(line.substr(last + 1, line.size() - last - 2));
    for (std::string name; std::getline(names, name, ',');) {
      if (Trimmed(name).empty()) continue;  // the row of a signal, which has the code of another error
      EXPECT_TRUE(codes.emplace(Trimmed(name), std::stoi(line.substr(2))).second) << name << " stands there twice";
    }
  }
  return codes;
}

TEST(ExitCodeTest, ASignalHasARow) {
  const std::string table = [] {
    std::ifstream file("docs/exit-codes.md");
    return std::string(std::istreambuf_iterator<char>(file), {});
  }();
  for (const int signal : kStopSignals) {
    const std::string row = StrCat("| ", 128 + signal, " | ended by ", SignalName(signal), ", ");
    EXPECT_NE(table.find(row), std::string::npos) << row;
  }
}

TEST(ExitCodeTest, TheTableOfTheDocumentsHolds) {
  const std::map<std::string, int> table = ReadTable();
  EXPECT_EQ(table.size(), static_cast<size_t>(kCodes));
  for (int i = 0; i < kCodes; ++i) {
    const auto code = static_cast<Code>(i);
    const auto row = table.find(std::string(CodeName(code)));
    ASSERT_NE(row, table.end()) << CodeName(code) << " is in no row";
    EXPECT_EQ(ExitCode(code), row->second) << CodeName(code);
  }
  EXPECT_EQ(CodeName(static_cast<Code>(kCodes)), "Unknown") << "a new code: add it to the table and to this test";
}

}  // namespace
}  // namespace dfrun
