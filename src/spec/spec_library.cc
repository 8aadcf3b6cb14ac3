#include "src/spec/spec_library.h"

#include <filesystem>

#include <algorithm>
#include <cctype>

#include "src/base/configs_folder.h"
#include "src/spec/schema/schema.h"
#include "src/spec/yaml/source_text.h"

namespace dfrun {
namespace {

namespace fs = std::filesystem;

std::string InLowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

std::vector<std::string> FunctionsOf(const fs::path& file) {
  std::vector<std::string> names;
  Diagnostics unheeded;
  Result<std::string> text = ReadSpecFile(file.string());
  if (!text.ok()) return names;
  const std::unique_ptr<YamlDocument> document =
      YamlDocument::Parse(*std::move(text), unheeded.AddFile(file.string()), unheeded);
  const std::optional<Yaml> functions = document ? FindKey(document->root(), "functions") : std::nullopt;
  for (size_t i = 0; functions && functions->is_map() && i < functions->size(); ++i)
    names.emplace_back(functions->key(i).text());
  return names;
}

}  // namespace

std::string AboutLibraryFunction(std::string_view name) {
  std::error_code error;
  const fs::path directory = fs::path(ConfigsFolder()) / "lib";
  for (fs::directory_iterator files(directory, error); !error && files != fs::directory_iterator();
       files.increment(error)) {
    for (const std::string& function : FunctionsOf(files->path())) {
      if (InLowerCase(function) == InLowerCase(name))
        return StrCat("; '", function, "' is in the library: include: [lib/", files->path().filename().string(), "]");
    }
  }
  return "";
}

}  // namespace dfrun
