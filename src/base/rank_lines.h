// Lines of many ranks that say the same, as one.
#ifndef DFRUN_SRC_BASE_RANK_LINES_H_
#define DFRUN_SRC_BASE_RANK_LINES_H_

#include <cstddef>
#include <string>
#include <vector>

namespace dfrun {

struct RankLine {
  int rank = 0;
  std::string host = {};  // empty: not known
  std::string text;
};

struct FoldedLine {
  std::vector<int> ranks;  // ascending
  std::string text;
};

// Makes one line of those that are equal but for what each says of its own rank ("rank 3") and host, where at least
// `least` ranks say so; lines stand where the first of them stood. Where they are not equal, their own rank and host
// are "this rank" and "this host" in the text.
std::vector<FoldedLine> FoldRankLines(const std::vector<RankLine>& lines, size_t least);

// "61 of 64 ranks say: TEXT".
std::string ManyRanksSay(const FoldedLine& line, size_t ranks);

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_RANK_LINES_H_
