// A model of what a disk may hold after a crash, given the calls that were made before it.
#ifndef DFRUN_TESTS_UNIT_CHECKPOINT_DISK_MODEL_H_
#define DFRUN_TESTS_UNIT_CHECKPOINT_DISK_MODEL_H_

#include <map>
#include <memory>
#include <string>

#include "tests/unit/checkpoint/file_calls.h"

namespace dfrun::testing {

// A file system that keeps no more than it must: the bytes of a file at its last sync, and the names in a directory at
// its last sync.
class DiskModel {
 public:
  enum class View {
    kSynced,  // only synced bytes and names are on the disk
    kNames,   // all names are on the disk, but only synced bytes
    kAll      // everything is on the disk, as after a kill of the process alone
  };

  DiskModel();
  ~DiskModel();
  DiskModel(const DiskModel&) = delete;
  DiskModel& operator=(const DiskModel&) = delete;

  void Apply(const FileCall& call);
  // Returns the bytes of all files by path. A directory's path ends in '/' and has no bytes, that of a symbolic link in
  // '@', and its bytes are its text.
  std::map<std::string, std::string> Files(View view) const;

 private:
  struct Node;
  using Names = std::map<std::string, std::shared_ptr<Node>>;

  Node& Parent(const std::string& path) const;
  std::shared_ptr<Node> Find(const std::string& path) const;
  static void Collect(const Node& directory, View view, const std::string& path,
                      std::map<std::string, std::string>& files);

  std::shared_ptr<Node> root_;
};

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_CHECKPOINT_DISK_MODEL_H_
