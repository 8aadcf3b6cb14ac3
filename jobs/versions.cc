#include "jobs/versions.h"

#ifdef DFRUN_ONEDNN
#include <dnnl.h>
#endif

#include <algorithm>
#include <fstream>
#include <iterator>

#include "comm/bootstrap/launcher.h"
#include "src/base/printable.h"
#include "src/base/text.h"
#include "src/storage/hdf5_library.h"

namespace dfrun::jobs {
namespace {

// Returns the arguments behind the program's name, as a line of text.
std::string Arguments() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::string words{std::istreambuf_iterator<char>(in), {}};
  words.erase(0, std::min(words.find('\0'), words.size() - 1) + 1);
  std::replace(words.begin(), words.end(), '\0', ' ');
  return StrCat("'", PrintableText(words.substr(0, words.find_last_not_of(' ') + 1)), "'");
}

}  // namespace

std::string Hdf5Version() {
  const Result<const Hdf5Library*> library = LoadHdf5();
  return library.ok() ? (*library)->version() : library.status().message();
}

std::string OneDnnVersion() {
#ifdef DFRUN_ONEDNN
  const dnnl_version_t* version = dnnl_version();
  return StrCat(version->major, ".", version->minor, ".", version->patch);
#else
  return "off: built with -DDFRUN_ONEDNN=OFF";
#endif
}

std::vector<comm::RankFact> OwnFacts() {
  if (comm::FindLauncher() == comm::Launcher::kNone) return {};
  return {{"the arguments", Arguments()}, {"oneDNN", OneDnnVersion()}};
}

}  // namespace dfrun::jobs
