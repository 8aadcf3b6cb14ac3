#include "src/base/rank_lines.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

#include "src/base/status.h"

namespace dfrun {
namespace {

bool IsOfName(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
}

// Replaces `word` where it is no part of a longer one.
std::string ReplaceWord(const std::string& text, std::string_view word, std::string_view by) {
  std::string made;
  size_t from = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    // A full stop at the end of a sentence is no part of a name.
    const bool goes_on = end < text.size() && IsOfName(text[end]) && (text[end] != '.' || end + 1 < text.size());
    if (at < from || (at > 0 && IsOfName(text[at - 1])) || goes_on) continue;
    made.append(text, from, at - from).append(by);
    from = end;
  }
  return made.append(text, from);
}

std::string WithoutOwnNames(const RankLine& line) {
  const std::string text = ReplaceWord(line.text, StrCat("rank ", line.rank), "this rank");
  return line.host.empty() ? text : ReplaceWord(text, line.host, "this host");
}

struct Group {
  std::vector<const RankLine*> lines = {};
  std::set<int> ranks = {};
  bool is_equal = true;
};

}  // namespace

std::vector<FoldedLine> FoldRankLines(const std::vector<RankLine>& lines, size_t least) {
  std::map<std::string, Group> groups;
  std::vector<std::string> keys;
  for (const RankLine& line : lines) {
    keys.push_back(WithoutOwnNames(line));
    Group& group = groups[keys.back()];
    group.is_equal &= group.lines.empty() || group.lines[0]->text == line.text;
    group.lines.push_back(&line);
    group.ranks.insert(line.rank);
  }
  std::vector<FoldedLine> folded;
  for (size_t i = 0; i < lines.size(); ++i) {
    const Group& group = groups.at(keys[i]);
    if (group.ranks.size() < least) {
      folded.push_back({{lines[i].rank}, lines[i].text});
    } else if (group.lines[0] == &lines[i]) {
      folded.push_back({{group.ranks.begin(), group.ranks.end()}, group.is_equal ? lines[i].text : keys[i]});
    }
  }
  return folded;
}

std::string ManyRanksSay(const FoldedLine& line, size_t ranks) {
  return StrCat(line.ranks.size(), " of ", ranks, " ranks say: ", line.text);
}

}  // namespace dfrun
