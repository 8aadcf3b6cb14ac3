// The files that the ops of a graph may open, according to the command line that runs it. docs/spec.md, "Files", has
// the rules. A directory that is the root or the user's home counts only in --allow-paths.
#ifndef DFRUN_JOBS_FILE_RULES_H_
#define DFRUN_JOBS_FILE_RULES_H_

#include <string>
#include <vector>

#include "jobs/options.h"
#include "src/storage/file_access.h"

namespace dfrun::jobs {

// Declares --allow-paths.
void AddAllowPaths(Options& args, std::vector<std::string>& paths);

// Returns the rules of a model, which is a spec or a graph. Ops may read below the directory of the model and below the
// working directory. They may write below `allow_paths` alone. The job begins now.
FileRules RulesOfModel(const std::string& model, const std::vector<std::string>& allow_paths);
// Lets ops write below the directory of a file that the command line names, or below a directory that it names. An
// empty path adds nothing.
void AllowWritingBeside(const std::string& path, FileRules& rules);
// Lets ops read the files, directories and patterns that values of "key=value" texts name, if they exist.
void AllowSets(const std::vector<std::string>& sets, FileRules& rules);
// Lets ops read below the directory of a file that the command line names, or below a directory that it names. An empty
// path adds nothing.
void AllowDirectoryOf(const std::string& path, FileRules& rules);
// Returns the file in "NAME=FILE.h5:/dataset"; an empty text for other texts.
std::string FileOfFeed(const std::string& feed);
// Calls AllowDirectoryOf() for the file of a feed.
void AllowDirectoryOfFeed(const std::string& feed, FileRules& rules);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_FILE_RULES_H_
