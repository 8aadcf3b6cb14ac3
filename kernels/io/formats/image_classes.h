// The classes of images: the folders that hold them.
#ifndef DFRUN_KERNELS_IO_FORMATS_IMAGE_CLASSES_H_
#define DFRUN_KERNELS_IO_FORMATS_IMAGE_CLASSES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/base/status.h"

namespace dfrun {

// Thread safety: const methods from any thread.
class ImageClasses {
 public:
  // The classes of the folders of `files`. `listed` are the names of all classes in the order of their numbers: a
  // folder's own, or the last parts of its path, "cat/young"; a folder that has none of them is InvalidArgument.
  // Without a list each folder is a class, in the order of the paths. Paths that lead to one folder, by links to it
  // too, name one: the first of them in the order of the files says where it stands and what it is called. A link that
  // is a file itself is not followed. `told`: Folders() of another host, which then decides what is one folder;
  // InvalidArgument where that is not of these files.
  static Result<ImageClasses> Create(const std::vector<std::string>& files,
                                     const std::optional<std::vector<std::string>>& listed,
                                     const std::optional<std::vector<std::string>>& told = {});

  // The classes' names by number. Without a list a class has its folder's own name, after as many parts of the path
  // before it as tell it from the others.
  const std::vector<std::string>& names() const { return names_; }
  // The class of a path among `files`.
  int64_t NumberOf(const std::string& path) const;
  // The numbers of the folders in the order of their paths as written.
  std::vector<std::string> Folders() const;
  // "a/cat and b/cat": folders of one name that are two classes; empty where there are none.
  std::string SameNames() const;

 private:
  std::vector<std::string> names_;
  std::map<std::string, int64_t, std::less<>> numbers_;  // by folder, as the paths are written
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_FORMATS_IMAGE_CLASSES_H_
