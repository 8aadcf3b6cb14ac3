#include "jobs/file_rules.h"

#include <filesystem>

namespace dfrun::jobs {

namespace fs = std::filesystem;

void AddAllowPaths(Options& args, std::vector<std::string>& paths) {
  args.Values("--allow-paths", paths,
              "Let the graph's ops open files below this directory too; else below those of the model, of the run and "
              "of this command line");
}

FileRules RulesOfGraph(const std::string& path, const std::vector<std::string>& allow_paths) {
  FileRules rules{.is_confined = true, .trusts_inputs = false, .roots = allow_paths};
  AllowDirectoryOf(path, rules);
  return rules;
}

FileRules RulesOfSpec(const std::string& path, const std::vector<std::string>& sets,
                      const std::vector<std::string>& allow_paths) {
  FileRules rules = RulesOfGraph(path, allow_paths);
  rules.trusts_inputs = true;
  rules.roots.emplace_back(".");  // where the relative paths of its ops begin
  for (const std::string& set : sets) {
    const std::string value = set.substr(set.find('=') + 1);
    std::error_code error;
    if (fs::exists(value, error)) rules.roots.push_back(value);
  }
  return rules;
}

void AllowDirectoryOf(const std::string& path, FileRules& rules) {
  if (path.empty()) return;
  std::error_code error;
  const std::string parent = fs::path(path).parent_path().string();
  rules.roots.push_back(fs::is_directory(path, error) ? path : parent.empty() ? "." : parent);
}

void AllowDirectoryOfFeed(const std::string& feed, FileRules& rules) {
  const size_t begin = feed.find('=') + 1;
  const size_t end = feed.rfind(":/");
  if (begin > 0 && end != std::string::npos && end > begin) AllowDirectoryOf(feed.substr(begin, end - begin), rules);
}

}  // namespace dfrun::jobs
