#include "comm/bootstrap/user_settings.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "src/base/file.h"
#include "src/base/status.h"

namespace dfrun::comm {
namespace {

constexpr size_t kMaxSettingsBytes = size_t{1} << 20;  // limit of a settings file
constexpr std::string_view kBlank = " \t\r\"'";

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(kBlank) + 1 - begin);
}

std::vector<std::string> Split(std::string_view text, std::string_view separators) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(separators), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::string Variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

std::optional<std::string> ValueIn(std::string_view line, std::string_view key) {
  line = Trim(line);
  if (line.starts_with('-')) {  // words of mpirun's command line: "-mca btl self,tcp"
    std::vector<std::string> words = Split(line, kBlank);
    for (size_t i = 1; i + 1 < words.size(); ++i) {
      if (words[i] == key && words[i - 1].ends_with("mca")) return words[i + 1];
    }
    return std::nullopt;
  }
  const size_t equals = line.find('=');
  if (line.starts_with('#') || equals == std::string_view::npos || Trim(line.substr(0, equals)) != key) return {};
  return std::string(Trim(line.substr(equals + 1)));
}

// A file of parameters of Open MPI.
struct McaFile {
  std::string path;
  bool is_users = true;  // else the installation's
};

// The nearest folder above the library that has one.
std::string McaFolder(const std::string& library) {
  if (std::string folder = Variable("OPAL_SYSCONFDIR"); !folder.empty()) return folder;
  std::string above = Variable("OPAL_PREFIX");
  if (above.empty()) above = ParentDirectory(library);
  while (true) {
    for (const char* const below : {"/etc", "/etc/openmpi", "/etc/openmpi-x86_64"}) {
      const std::string folder = (above == "/" ? "" : above) + below;
      if (::access((folder + "/openmpi-mca-params.conf").c_str(), R_OK) == 0) return folder;
    }
    if (above.empty() || above == "/" || above == ".") return "";
    above = ParentDirectory(above);
  }
}

std::vector<McaFile> McaFiles(const std::string& library) {
  std::vector<McaFile> files;
  for (const char* const list : {"OMPI_MCA_mca_base_param_file_prefix", "OMPI_MCA_mca_base_envar_file_prefix",
                                 "OMPI_MCA_mca_base_override_param_file"}) {  // mpirun's -am and --tune
    for (std::string& path : Split(Variable(list), ",:")) files.push_back({std::move(path)});
  }
  const std::string named = Variable("OMPI_MCA_mca_base_param_files");
  for (std::string& path : Split(named, ",:")) files.push_back({std::move(path)});
  if (named.empty()) files.push_back({Variable("HOME") + "/.openmpi/mca-params.conf"});
  const std::string folder = McaFolder(library);
  if (folder.empty()) return files;
  if (named.empty()) files.push_back({folder + "/openmpi-mca-params.conf", false});
  files.push_back({folder + "/openmpi-mca-params-override.conf", false});
  return files;
}

// Where UCX looks for its file.
std::vector<std::string> UcxFiles() {
  std::vector<std::string> files = {"/etc/ucx/ucx.conf"};
  for (const char* const folder : {"HOME", "UCX_CONFIG_DIR"}) {
    if (const std::string path = Variable(folder); !path.empty()) files.push_back(path + "/ucx.conf");
  }
  files.emplace_back("./ucx.conf");
  return files;
}

}  // namespace

std::optional<std::string> SettingInFile(const std::string& path, std::string_view key) {
  const Result<std::string> text = ReadFile(path, kMaxSettingsBytes);
  if (!text.ok()) return std::nullopt;
  std::optional<std::string> value;
  for (const std::string& line : Split(*text, "\n")) {
    if (std::optional<std::string> found = ValueIn(line, key)) value = std::move(found);
  }
  return value;
}

std::string WhereUcxIsSet() {
  for (const char* const name : {"UCX_TLS", "UCX_NET_DEVICES"}) {
    if (const char* const value = std::getenv(name); value != nullptr) return StrCat(name, "=", value);
    for (const std::string& file : UcxFiles()) {
      if (SettingInFile(file, name)) return StrCat(name, " in ", file);
    }
  }
  return "";
}

std::string WhereMcaIsSet(const std::string& library, const std::vector<std::string>& parameters) {
  const std::vector<McaFile> files = McaFiles(library);
  for (const std::string& parameter : parameters) {
    const std::string variable = "OMPI_MCA_" + parameter;
    if (const char* const value = std::getenv(variable.c_str()); value != nullptr) return StrCat(variable, "=", value);
    for (const McaFile& file : files) {
      const std::optional<std::string> value = SettingInFile(file.path, parameter);
      if (value && (file.is_users || !value->starts_with('^'))) return StrCat(parameter, " in ", file.path);
    }
  }
  return "";
}

}  // namespace dfrun::comm
