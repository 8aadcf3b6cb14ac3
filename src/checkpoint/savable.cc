#include "src/checkpoint/savable.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "src/storage/dataset_paths.h"

namespace dfrun {
namespace {

// A limit of HDF5.
constexpr int kMaxDimensions = 32;

std::string WhyNotAlone(const SavedVariable& v) {
  if (v.name.size() > kLongestVariableName) {
    return StrCat("variable '", v.name.substr(0, 40), "...' has a name of ", v.name.size(),
                  " bytes, and a checkpoint holds names of up to ", kLongestVariableName, ": give it a shorter one");
  }
  if (IsHandle(v.dtype)) return StrCat("variable '", v.name, "' is a ", v.dtype, ", which cannot be saved");
  if (v.shape.rank() <= kMaxDimensions) return "";
  return StrCat("variable '", v.name, "' has ", v.shape.rank(), " dimensions, and HDF5 holds tensors of up to ",
                kMaxDimensions, ": reshape it");
}

std::string DescribeClash(const DatasetClash& clash, const std::vector<SavedVariable>& variables,
                          const std::vector<std::string>& datasets) {
  const std::string& name = variables[clash.at].name;
  const std::string& other = variables[clash.other].name;
  const std::string path = DatasetPath(datasets[clash.at]);
  if (!clash.is_below) return StrCat("variables '", other, "' and '", name, "' are one path in a checkpoint, ", path);
  return StrCat("variable '", name, "' is ", path, " in a checkpoint, which lies below '", other, "', ",
                DatasetPath(datasets[clash.other]));
}

}  // namespace

std::optional<Unsavable> FindUnsavable(const std::vector<SavedVariable>& variables) {
  std::vector<std::string> datasets;
  for (size_t i = 0; i < variables.size(); ++i) {
    if (std::string why = WhyNotAlone(variables[i]); !why.empty()) return Unsavable{i, std::move(why)};
    datasets.push_back(DatasetOfVariable(variables[i].name));
  }
  const std::optional<DatasetClash> clash = FindDatasetClash(datasets);
  if (!clash) return {};
  return Unsavable{clash->at, StrCat(DescribeClash(*clash, variables, datasets), "; give one of them another name")};
}

Status CheckTensorName(const std::string& name) {
  bool ok = !name.empty() && name.find('\0') == std::string::npos && name.find('[') == std::string::npos;
  for (size_t at = 0; ok && at <= name.size();) {
    const size_t end = std::min(name.find('/', at), name.size());
    const std::string_view component = std::string_view(name).substr(at, end - at);
    ok = !component.empty() && component != "." && component != "..";
    at = end + 1;
  }
  if (ok) return Status();
  return InvalidArgument("a tensor cannot be saved under the name '", name,
                         "': names are paths whose parts are not empty and not '.', without '['");
}

}  // namespace dfrun
