// What a disk may hold after a crash, by the calls that were made before it.
#ifndef DFRUN_TESTS_UNIT_CHECKPOINT_DISK_MODEL_H_
#define DFRUN_TESTS_UNIT_CHECKPOINT_DISK_MODEL_H_

#include <map>
#include <memory>
#include <string>

#include "tests/unit/checkpoint/file_calls.h"

namespace dfrun::testing {

// A file system that keeps what it must: the bytes of a file as they were when it was last synced, and the names in a
// directory as they were when that was.
class DiskModel {
 public:
  enum class View {
    kSynced,  // nothing else is on the disk
    kNames,   // all names are, and of the bytes those that were synced
    kAll      // as after a kill of the process alone
  };

  DiskModel();
  ~DiskModel();
  DiskModel(const DiskModel&) = delete;
  DiskModel& operator=(const DiskModel&) = delete;

  void Apply(const FileCall& call);
  // Path to bytes of all files; of a directory the path with a '/' at its end, to nothing.
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
