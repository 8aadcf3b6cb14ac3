#include "src/job/kept_spec.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "src/base/file.h"
#include "src/job/saved_settings.h"
#include "src/spec/yaml/source_text.h"

namespace dfrun {
namespace {

constexpr std::string_view kMark = "# written by dfrun\n";  // the beginning of commands' output files too

// The lines without the comments at their ends.
std::string WithoutComments(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (!line.starts_with('#')) out += StrCat(line.substr(0, line.rfind("  # ")), "\n");
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return out;
}

bool IsReadFrom(const LoadedSpec& spec, const std::string& path) {
  return std::any_of(spec.files.begin(), spec.files.end(), [&](const std::string& file) {
    std::error_code error;
    return std::filesystem::equivalent(file, path, error);
  });
}

}  // namespace

std::string MarkedSpec(const LoadedSpec& spec) {
  return StrCat(kMark, "# the spec as it is understood; graph ", GraphDigest(spec), "\n", spec.printed);
}

Result<std::string> KeepSpec(const std::string& path, const LoadedSpec& spec) {
  if (IsReadFrom(spec, path)) return std::string();
  const std::string text = MarkedSpec(spec);
  if (text.size() > kMaxSpecBytes) {
    return StrCat("the spec with all that it includes has ", text.size(), " bytes, more than a spec may have: ", path,
                  " is not written");
  }
  DF_TRY(CheckReplaceable(path));
  const Result<std::string> there = ReadFile(path, kMaxSpecBytes);
  if (there.ok() && !there->starts_with(kMark))
    return StrCat(path, " is no file of dfrun's, and stays as it is: what this run understood is not written there");
  if (there.ok() && WithoutComments(*there) == WithoutComments(text)) return std::string();
  DF_TRY(WriteFileAtomically(path, text));
  return std::string();
}

}  // namespace dfrun
