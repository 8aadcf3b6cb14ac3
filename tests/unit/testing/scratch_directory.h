// A directory that a test has to itself, whatever else runs beside it.
#ifndef DFRUN_TESTS_UNIT_TESTING_SCRATCH_DIRECTORY_H_
#define DFRUN_TESTS_UNIT_TESTING_SCRATCH_DIRECTORY_H_

#include <string>

namespace dfrun {

// An empty directory that is removed with its content at the end. The program ends if none can be made.
class ScratchDirectory {
 public:
  ScratchDirectory();
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string Path(const std::string& name) const { return path_ + "/" + name; }

  // Makes the file `name` and the directories on the way to it. Returns its path.
  std::string Write(const std::string& name, const std::string& bytes) const;

 private:
  std::string path_;
};

}  // namespace dfrun

#endif  // DFRUN_TESTS_UNIT_TESTING_SCRATCH_DIRECTORY_H_
