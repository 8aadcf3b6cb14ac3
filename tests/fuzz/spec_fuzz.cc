// Any bytes as a spec: it loads or is refused with a place; it never crashes.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "src/spec/load.h"
#include "tests/unit/testing/scratch_directory.h"

namespace {

void Check(bool condition, const std::string& what) {
  if (condition) return;
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const dfrun::ScratchDirectory scratch;  // with nothing to include
  const std::string path = scratch.Write("job.yaml", std::string(reinterpret_cast<const char*>(data), size));
  const dfrun::Result<dfrun::LoadedSpec> spec = dfrun::LoadSpec(path, {});
  if (spec.ok()) return 0;
  Check(spec.status().code() == dfrun::Code::kBadSpec, "a code of its own: " + spec.status().ToString());
  Check(spec.status().message().compare(0, path.size() + 1, path + ":") == 0, "no place: " + spec.status().ToString());
  return 0;
}
