#include "kernels/io/formats/image_classes.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "src/base/text.h"
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

namespace fs = std::filesystem;

using Parts = std::vector<std::string>;

std::string FolderOf(const std::string& path) {
  return fs::path(path).parent_path().string();
}

// The parts of a folder's path from the root on, without "." and "..": equal for each way to write it. Links are names
// of their own. If the working directory is gone, the path is taken as written.
Parts PartsOf(const fs::path& folder) {
  std::error_code error;
  const fs::path absolute = fs::absolute(folder, error);
  Parts parts;
  for (const fs::path& part : (error ? folder : absolute).lexically_normal()) {
    if (!part.empty() && part != "/") parts.push_back(part.string());
  }
  return parts;
}

// Equal for paths that lead to one folder; of one that is not there, for each way to write it.
std::string IdentityOf(const std::string& folder) {
  struct stat info = {};
  if (::stat(folder.empty() ? "." : folder.c_str(), &info) == 0) return StrCat(info.st_dev, ":", info.st_ino);
  return Join(PartsOf(folder), "/");
}

// The folders of files as they are written, each with the first way in which it is.
using FirstPaths = std::map<std::string, std::string>;

// Finds the folders. `told`: identities of the folders in the order of their paths, from another host.
Result<FirstPaths> FindFolders(const std::vector<std::string>& files,
                               const std::optional<std::vector<std::string>>& told) {
  std::vector<std::string> folders;  // in the order of the files
  FirstPaths first;
  for (const std::string& file : files) {
    std::string folder = FolderOf(file);
    if (first.emplace(folder, "").second) folders.push_back(std::move(folder));
  }
  if (told && told->size() != first.size()) {
    return InvalidArgument("the images are in ", first.size(), " folders, not in ", told->size(), " as was said");
  }
  std::map<std::string, std::string> by_identity;
  for (const std::string& folder : folders) {
    const auto found = first.find(folder);
    const std::string identity =
        told ? (*told)[static_cast<size_t>(std::distance(first.begin(), found))] : IdentityOf(folder);
    found->second = by_identity.emplace(identity, folder).first->second;
  }
  return first;
}

std::string LastParts(const Parts& parts, size_t count) {
  const auto from = parts.end() - static_cast<std::ptrdiff_t>(std::min(count, parts.size()));
  return Join(std::vector<std::string>(from, parts.end()), "/");
}

// The last parts of each path that no other one has, as few as will do. The paths differ.
std::vector<std::string> ShortNames(const std::vector<Parts>& folders) {
  std::vector<std::string> names(folders.size());
  std::vector<bool> is_named(folders.size());
  for (size_t count = 1; !std::all_of(is_named.begin(), is_named.end(), [](bool named) { return named; }); ++count) {
    std::map<std::string, int> uses;
    for (const Parts& parts : folders) ++uses[LastParts(parts, count)];
    for (size_t i = 0; i < folders.size(); ++i) {
      if (is_named[i]) continue;
      names[i] = LastParts(folders[i], count);
      is_named[i] = uses[names[i]] == 1 || count >= folders[i].size();
    }
  }
  return names;
}

// The number of the longest listed name that the path ends with; -1 without one.
int64_t ListedNumber(const Parts& parts, const std::map<std::string, int64_t>& listed) {
  for (size_t count = parts.size(); count > 0; --count) {
    const auto found = listed.find(LastParts(parts, count));
    if (found != listed.end()) return found->second;
  }
  return -1;
}

Result<std::map<std::string, int64_t>> NumbersOf(const std::vector<std::string>& listed) {
  std::map<std::string, int64_t> numbers;
  for (const std::string& name : listed) {
    std::string path = fs::path(name).lexically_normal().string();
    path.erase(path.find_last_not_of('/') + 1);
    if (path.empty() || path == "." || path.starts_with("..")) {
      return InvalidArgument("'classes' lists '", name, "', which no folder can be named");
    }
    if (!numbers.emplace(path, static_cast<int64_t>(numbers.size())).second) {
      return InvalidArgument("'classes' lists '", name, "' twice");
    }
  }
  return numbers;
}

Status NotListed(const std::string& folder, const Parts& parts, const std::vector<std::string>& listed) {
  const std::string near = parts.empty() ? "" : Nearest(parts.back(), listed);
  return InvalidArgument("the folder ", folder, " is none of 'classes' (", Join(listed), ")",
                         near.empty() ? "" : StrCat(", did you mean '", near, "'?"),
                         "; list it there, or leave its files out of the paths");
}

}  // namespace

Result<ImageClasses> ImageClasses::Create(const std::vector<std::string>& files,
                                          const std::optional<std::vector<std::string>>& listed,
                                          const std::optional<std::vector<std::string>>& told) {
  ImageClasses classes;
  std::map<std::string, int64_t> listed_numbers;
  if (listed) {
    DF_ASSIGN(listed_numbers, NumbersOf(*listed));
    classes.names_ = *listed;
  }
  DF_ASSIGN(const FirstPaths first_paths, FindFolders(files, told));
  std::map<std::string, int64_t> numbers;  // by the first path
  for (const auto& [folder, first] : first_paths) numbers.emplace(first, 0);
  std::vector<Parts> folders;
  for (auto& [folder, number] : numbers) {
    Parts parts = PartsOf(folder);
    number = listed ? ListedNumber(parts, listed_numbers) : static_cast<int64_t>(folders.size());
    if (number < 0) return NotListed(folder, parts, *listed);
    folders.push_back(std::move(parts));
  }
  for (const auto& [folder, first] : first_paths) classes.numbers_.emplace(folder, numbers.at(first));
  if (!listed) classes.names_ = ShortNames(folders);
  return classes;
}

std::vector<std::string> ImageClasses::Folders() const {
  std::vector<std::string> folders;
  for (const auto& [folder, number] : numbers_) folders.push_back(std::to_string(number));
  return folders;
}

int64_t ImageClasses::NumberOf(const std::string& path) const {
  const auto found = numbers_.find(FolderOf(path));
  return found == numbers_.end() ? -1 : found->second;
}

std::string ImageClasses::SameNames() const {
  std::map<std::string, const std::string*> first;
  for (const std::string& name : names_) {
    const auto [at, is_new] = first.emplace(fs::path(name).filename().string(), &name);
    if (!is_new) return StrCat(*at->second, " and ", name);
  }
  return "";
}

}  // namespace dfrun
