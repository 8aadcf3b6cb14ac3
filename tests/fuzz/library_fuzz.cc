// Any bytes as the text of a graph with a function library.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/lowering_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const dfrun::Status status = dfrun::fuzz::CheckLowering(text, dfrun::GraphDefFormat::kText).status();
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::abort();
}
