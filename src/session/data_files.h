// The check that data files are the same on all ranks, before the first step: a rank whose disk holds other data under
// the same path would train on them without a word.
//
// Rank 0 looks at each file that the part of another rank reads, and describes it when it registers the part; the rank
// compares the description with its own file. The check is bounded: kMaxFiles files, and a sample of the bytes of a
// large one.
#ifndef DFRUN_SRC_SESSION_DATA_FILES_H_
#define DFRUN_SRC_SESSION_DATA_FILES_H_

#include <map>
#include <string>
#include <vector>

#include "src/base/file_version.h"
#include "src/graph/graph.h"
#include "src/session/control/control.pb.h"
#include "src/storage/hdf5_layout.h"

namespace dfrun {

// By path: the places of the datasets that are read, an Hdf5Layout of rank 0's; empty: not known.
using DataFileUses = std::map<std::string, std::string>;

// Adds the files that the nodes of a part read, if all ranks share the data. `whole`: the graph of the part, with the
// constants that the part may receive.
void AddDataFiles(const Graph& part, const Graph& whole, DataFileUses& uses);

// Describes the file as this rank finds it. Errors are the file system's.
Result<control::DataFile> LookAtDataFile(const std::string& path, const std::string& layout);

// Checks the file of this rank; NoInput, naming the path and the difference, where it differs from rank 0's.
Result<FileVersion> CheckDataFile(const control::DataFile& expected);

// By path: files that are the same as rank 0's.
using SameFiles = std::map<std::string, FileVersion>;

// Whether CheckDataFile() reads all bytes of a file of this size, and not a sample.
bool IsComparedWhole(uint64_t bytes);

// The HDF5 files that a node reads samples of, in their order; none where it is no reader of samples.
std::vector<std::string> SampleFilesOf(const Node& node);
// The layouts of rank 0's files that a reader's attr carries, in the order of its files; no files where it has none.
Hdf5Layouts LayoutsOf(const Node& reader);

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_DATA_FILES_H_
