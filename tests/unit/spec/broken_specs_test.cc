// Each spec of tests/conformance/broken_specs fails as its table says, in this process: the sanitizers see it.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/unit/spec/spec_test_util.h"

namespace dfrun {
namespace {

constexpr char kDirectory[] = "tests/conformance/broken_specs/";

struct BrokenSpec {
  std::string file;
  std::string location;
  std::string message;
  Code code = Code::kBadSpec;
};

std::vector<BrokenSpec> ReadTable() {
  std::vector<BrokenSpec> out;
  std::ifstream table(std::string(kDirectory) + "expected.tsv");
  for (std::string line; std::getline(table, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream fields(line);
    BrokenSpec& spec = out.emplace_back();
    std::getline(fields, spec.file, '\t');
    std::getline(fields, spec.location, '\t');
    std::getline(fields, spec.message, '\t');
    if (std::string code; std::getline(fields, code)) {
      EXPECT_EQ(code, "66") << spec.file;
      spec.code = Code::kNoInput;
    }
  }
  return out;
}

TEST(BrokenSpecs, AreRefusedWithTheirPlace) {
  const std::vector<BrokenSpec> specs = ReadTable();
  ASSERT_GE(specs.size(), 40u) << "run from the project's root";
  const ScratchDirectory scratch;
  for (const BrokenSpec& broken : specs) {
    std::string path = kDirectory + broken.file;
    if (broken.file == "huge_file.yaml") path = scratch.Write(broken.file, std::string(17 << 20, '#'));
    const Result<LoadedSpec> spec = LoadSpec(path, {});
    ASSERT_FALSE(spec.ok()) << broken.file;
    EXPECT_EQ(spec.status().code(), broken.code) << broken.file;
    const std::string error = spec.status().message().substr(0, spec.status().message().find('\n'));
    const bool elsewhere = broken.location.find(".yaml:") != std::string::npos;
    const std::string where = elsewhere ? kDirectory + broken.location : path + ":" + broken.location;
    EXPECT_EQ(error.substr(0, where.size() + 2), where + ": ") << error;
    EXPECT_NE(error.find(broken.message), std::string::npos) << broken.message << "\n  in " << error;
  }
}

}  // namespace
}  // namespace dfrun
