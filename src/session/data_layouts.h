// The places of datasets in the HDF5 files that a rank's readers name. Rank 0 has found them, and its readers' attrs
// carry them; they hold for a rank that sees the same file. A rank that sees another file (a copy, on another host) is
// told by one rank that sees the file too (src/session/layout_finders.h).
#ifndef DFRUN_SRC_SESSION_DATA_LAYOUTS_H_
#define DFRUN_SRC_SESSION_DATA_LAYOUTS_H_

#include <map>
#include <string>
#include <vector>

#include "src/graph/graph.h"
#include "src/partition/partition.h"
#include "src/session/control/control.pb.h"
#include "src/session/data_files.h"
#include "src/storage/hdf5_layout.h"

namespace dfrun {

// Whether a reader on another rank than 0 has layouts.
bool ReadsLayouts(const std::vector<Partition>& partitions);

// A rank's knowledge of its files. Thread safety: one thread.
class DataLayouts {
 public:
  // Takes rank 0's layouts of the part's files that are the same, and adds a question for each other file, of which
  // nothing is known. `same`: files whose bytes were compared with rank 0's; a large one, of which only a sample was
  // compared, must also have rank 0's time of last change.
  void AddUnknown(const Graph& part, const SameFiles& same, control::Layouts& unknown);
  // Answers questions, by one helper.
  // Blocks: for the helper, which looks into each file.
  control::Layouts Find(const google::protobuf::RepeatedPtrField<control::Layouts::File>& questions);
  // Takes the answer of another rank.
  void Know(const control::Layouts::File& found);
  // Gives the readers of a part the layouts that are known, so that they need not look into the files again.
  void Adopt(Graph& part) const;

 private:
  void Know(const std::string& path, const Hdf5Layout& layout);
  bool IsKnown(const std::string& path, const FileVersion& own, const Hdf5Layout& wanted) const;
  std::string Known(const std::string& path, const Hdf5Layout& wanted) const;

  std::map<std::string, Hdf5Layout> known_;  // by path
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_DATA_LAYOUTS_H_
