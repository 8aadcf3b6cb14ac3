// Any bytes as a spec: it loads or is refused with a place; it never crashes.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "src/spec/load.h"

namespace {

// A file that is rewritten for each input, in a directory with nothing to include.
class ScratchFile {
 public:
  ScratchFile() {
    std::string pattern = (std::filesystem::temp_directory_path() / "dfrun_fuzz_XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
  }
  ~ScratchFile() { std::filesystem::remove_all(directory_); }
  std::string path() const { return (directory_ / "job.yaml").string(); }

 private:
  std::filesystem::path directory_;
};

void Check(bool condition, const std::string& what) {
  if (condition) return;
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const ScratchFile scratch;
  const std::string path = scratch.path();
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  const dfrun::Result<dfrun::LoadedSpec> spec = dfrun::LoadSpec(path, {});
  if (spec.ok()) return 0;
  Check(spec.status().code() == dfrun::Code::kBadSpec, "a code of its own: " + spec.status().ToString());
  Check(spec.status().message().compare(0, path.size() + 1, path + ":") == 0, "no place: " + spec.status().ToString());
  return 0;
}
