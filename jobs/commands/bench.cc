// dfrun bench: a program of its own.
#include "jobs/bench/bench.h"
#include "jobs/command.h"

namespace dfrun::jobs {
namespace {

COMMAND("bench", kBenchDescription, kBenchExample, nullptr, "dfrun-bench");

}  // namespace
}  // namespace dfrun::jobs
