// Which files the ops of a graph may open, by the command line that runs it. docs/spec.md, "Files", has the rules. A
// directory that is the root or the user's home is taken only from --allow-paths.
#ifndef DFRUN_JOBS_FILE_RULES_H_
#define DFRUN_JOBS_FILE_RULES_H_

#include <string>
#include <vector>

#include "jobs/options.h"
#include "src/framework/file_access.h"

namespace dfrun::jobs {

// Declares --allow-paths.
void AddAllowPaths(Options& args, std::vector<std::string>& paths);

// Reading: what lies below the directory of the model, a spec or a graph, and below the working directory. Writing:
// below `allow_paths` alone. The job begins now.
FileRules RulesOfModel(const std::string& model, const std::vector<std::string>& allow_paths);
// Lets ops write below the directory of a file that the command line names, or below the directory itself; "" adds
// none.
void AllowWritingBeside(const std::string& path, FileRules& rules);
// Adds what values of "key=value" name, if there is such a file.
void AllowSets(const std::vector<std::string>& sets, FileRules& rules);
// Adds the directory of a file that the command line names, or the directory itself; "" adds nothing.
void AllowDirectoryOf(const std::string& path, FileRules& rules);
// Of "NAME=FILE.h5:/dataset" the file; empty for other text.
std::string FileOfFeed(const std::string& feed);
// AllowDirectoryOf() that file.
void AllowDirectoryOfFeed(const std::string& feed, FileRules& rules);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_FILE_RULES_H_
