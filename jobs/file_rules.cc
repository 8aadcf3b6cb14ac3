#include "jobs/file_rules.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "jobs/model.h"

namespace dfrun::jobs {

namespace fs = std::filesystem;

void AddAllowPaths(Options& args, std::vector<std::string>& paths) {
  args.Values(
      "--allow-paths", paths,
      "Let the graph's ops open files below this directory too, to read and to write; else they read below those "
      "of the model, of the run and of this command line, and write below that of the run, or of eval's");
}

namespace {

// Returns whether the directory is one in which a user keeps everything; such a directory counts only if --allow-paths
// names it.
bool IsOfEverything(const std::string& directory) {
  const std::string resolved = ResolvePath(directory);
  const char* const home = std::getenv("HOME");
  return resolved == "/" || (home != nullptr && resolved == ResolvePath(home));
}

void AllowBelow(const std::string& directory, std::vector<std::string>& roots) {
  if (!IsOfEverything(directory)) roots.push_back(directory);
}

void Allow(const std::string& directory, FileRules& rules) {
  AllowBelow(directory, rules.roots);
}

// Returns the directory of a file, or the path itself if it is a directory.
std::string DirectoryOf(const std::string& path) {
  std::error_code error;
  const std::string parent = fs::path(path).parent_path().string();
  return fs::is_directory(path, error) ? path : parent.empty() ? "." : parent;
}

int64_t NowNs() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

// Returns the directory that holds all files that a shell pattern may stand for; the path itself if it is no pattern.
fs::path BelowWhat(const std::string& pattern) {
  const size_t wildcard = pattern.find_first_of("*?[");
  if (wildcard == std::string::npos) return pattern;
  const size_t slash = pattern.rfind('/', wildcard);
  return slash == std::string::npos ? fs::path(".") : fs::path(pattern.substr(0, slash + 1));
}

// Adds files and patterns, separated by commas, if they exist.
void AllowNamed(std::string_view names, FileRules& rules) {
  while (true) {
    const size_t comma = names.find(',');
    std::string name(names.substr(0, comma));
    name.erase(0, name.find_first_not_of(' '));
    std::error_code error;
    if (const fs::path path = BelowWhat(name); fs::exists(path, error)) Allow(path.string(), rules);
    if (comma == std::string_view::npos) return;
    names.remove_prefix(comma + 1);
  }
}

}  // namespace

void AllowDirectoryOf(const std::string& path, FileRules& rules) {
  if (!path.empty()) Allow(DirectoryOf(path), rules);
}

void AllowWritingBeside(const std::string& path, FileRules& rules) {
  if (!path.empty()) AllowBelow(DirectoryOf(path), rules.write_roots);
}

FileRules RulesOfModel(const std::string& model, const std::vector<std::string>& allow_paths) {
  FileRules rules{.is_confined = true, .trusts_inputs = IsSpec(model), .roots = allow_paths};
  rules.write_roots = allow_paths;
  rules.begin_ns = NowNs();
  AllowDirectoryOf(model, rules);
  Allow(".", rules);
  return rules;
}

void AllowSets(const std::vector<std::string>& sets, FileRules& rules) {
  for (const std::string& set : sets) AllowNamed(set.substr(set.find('=') + 1), rules);
}

std::string FileOfFeed(const std::string& feed) {
  const size_t equals = feed.find('=');
  const size_t colon = feed.rfind(":/");
  if (equals == std::string::npos || colon == std::string::npos || colon < equals) return "";
  return feed.substr(equals + 1, colon - equals - 1);
}

void AllowDirectoryOfFeed(const std::string& feed, FileRules& rules) {
  AllowDirectoryOf(FileOfFeed(feed), rules);
}

}  // namespace dfrun::jobs
