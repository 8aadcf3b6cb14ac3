// The program dfrun-bench, which `dfrun bench` becomes. Its arguments are those of dfrun: dfrun-bench bench NAME ...
#include <string>
#include <vector>

#include "jobs/command.h"
#include "jobs/program.h"

namespace dfrun::jobs {
namespace {

// Inserts `bench`, so that `dfrun-bench NAME` is `dfrun bench NAME`.
Status InsertBench(std::vector<std::string>& words) {
  if (words.empty() || Commands().count(words[0]) == 0) words.insert(words.begin(), "bench");
  return Status();
}

}  // namespace
}  // namespace dfrun::jobs

// NOLINTNEXTLINE(bugprone-exception-escape): HandleUncaughtExceptions() ends what escapes
int main(int argc, char** argv) {
  return dfrun::jobs::RunProgram(argc, argv, dfrun::jobs::InsertBench);
}
