// The files of data that ranks read, found to be the same on all of them before the first step: a rank whose disk holds
// other data under the same path would train on them without a word.
//
// Rank 0 looks at each file that the part of another rank reads, and says what it found when it registers the part; the
// rank compares that with what it finds itself. Bounded: kMostFiles files, of a large one a sample of its bytes.
#ifndef DFRUN_SRC_SESSION_DATA_FILES_H_
#define DFRUN_SRC_SESSION_DATA_FILES_H_

#include <map>
#include <string>

#include "src/base/file_version.h"
#include "src/graph/graph.h"
#include "src/session/control.pb.h"

namespace dfrun {

// By path: where the datasets that are read lie, an Hdf5Layout of rank 0's; empty: not known.
using DataFileUses = std::map<std::string, std::string>;

// Adds what the nodes of a part read whose data all ranks share. `whole`: the graph that the part is of, which has the
// constants that the part may receive.
void AddDataFiles(const Graph& part, const Graph& whole, DataFileUses& uses);

// Describes the file as this rank finds it. Errors are the file system's.
Result<control::DataFile> LookAtDataFile(const std::string& path, const std::string& layout);

// The file of this rank; NoInput, naming the path and the difference, where it is not what rank 0 found.
Result<FileVersion> CheckDataFile(const control::DataFile& expected);

// By path: files that have been found to be what rank 0 reads.
using SameFiles = std::map<std::string, FileVersion>;

// Has the readers of a part believe of these files what rank 0 told of its own, so that they need not be looked into
// again. Of a large file, of which only a sample was compared, that holds where it was also last changed when rank 0's
// was.
void AdoptLayouts(const SameFiles& same, Graph& part);

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_DATA_FILES_H_
