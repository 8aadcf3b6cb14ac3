// The files of data that ranks read, found to be the same on all of them before the first step: a rank whose disk holds
// other data under the same path would train on them without a word.
//
// Rank 0 looks at each file that the part of another rank reads, and says what it found when it registers the part; the
// rank compares that with what it finds itself. Bounded: kMostFiles files, of a large one a sample of its bytes.
#ifndef DFRUN_SRC_SESSION_DATA_FILES_H_
#define DFRUN_SRC_SESSION_DATA_FILES_H_

#include <map>
#include <set>
#include <string>

#include "src/graph/graph.h"
#include "src/session/control.pb.h"

namespace dfrun {

// By path: the datasets that are read, where the file has some.
using DataFileUses = std::map<std::string, std::set<std::string>>;

// Adds what the nodes of a part read whose data all ranks share. `whole`: the graph that the part is of, which has the
// constants that the part may receive.
void AddDataFiles(const Graph& part, const Graph& whole, DataFileUses& uses);

// As this rank finds the file. Errors of the file system.
Result<control::DataFile> LookAtDataFile(const std::string& path, const std::set<std::string>& datasets);

// NoInput, naming the path and the difference, where this rank does not find what rank 0 found.
Status CheckDataFile(const control::DataFile& expected);

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_DATA_FILES_H_
