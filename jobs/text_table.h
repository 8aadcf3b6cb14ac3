// Tables for people.
#ifndef DFRUN_JOBS_TEXT_TABLE_H_
#define DFRUN_JOBS_TEXT_TABLE_H_

#include <string>
#include <vector>

namespace dfrun::jobs {

// A line a row, with columns that are as wide as their widest text and two blanks between them. All rows have as many
// texts as the first; each is UTF-8 without line feeds.
std::string TextTable(const std::vector<std::vector<std::string>>& rows);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_TEXT_TABLE_H_
