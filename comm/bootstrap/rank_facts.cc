#include "comm/bootstrap/rank_facts.h"

#include <cmath>
#include <cstdio>
#include <functional>
#include <map>

#include "src/base/text.h"

namespace dfrun::comm {
namespace {

constexpr int64_t kClockNs = 1'000'000'000;

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string Named(const std::vector<RankInfo>& ranks, size_t r) {
  return StrCat("rank ", r, " on ", ranks[r].host);
}

// Adds a text for each value of a field that differs from rank 0's.
void AddField(const std::vector<RankInfo>& ranks, const std::string& name,
              const std::function<std::string(const RankInfo&)>& value_of, std::vector<std::string>& texts) {
  std::map<std::string, std::vector<size_t>> others;
  const std::string of_first = value_of(ranks[0]);
  for (size_t r = 1; r < ranks.size(); ++r) {
    if (const std::string value = value_of(ranks[r]); value != of_first) others[value].push_back(r);
  }
  for (const auto& [value, who] : others) {
    const std::string more = who.size() > 1 ? StrCat(" (and ", who.size() - 1, " more)") : "";
    texts.push_back(StrCat(Named(ranks, who[0]), more, " has ", name, " ", value, ", rank 0 on ", ranks[0].host,
                           " has ", of_first));
  }
}

std::string ValueOf(const RankInfo& info, const std::string& name) {
  for (const RankFact& fact : info.facts) {
    if (fact.name == name) return fact.value;
  }
  return "none";
}

}  // namespace

std::string RankInfo::Serialize() const {
  std::string text = StrCat(host, "\n", build, "\n", cpu_isa_level, "\n", clock_ns, "\n");
  for (const RankFact& fact : facts) text += StrCat(fact.name, "\t", fact.value, "\n");
  return text;
}

Result<RankInfo> ParseRankInfo(const std::string& text, size_t rank) {
  const std::vector<std::string> lines = Lines(text);
  const auto level = lines.size() < 4 ? std::nullopt : ParseAs<int>(lines[2]);
  const auto clock = lines.size() < 4 ? std::nullopt : ParseAs<int64_t>(lines[3]);
  if (!level || !clock) {
    return FailedPrecondition("rank ", rank,
                              " runs another version of dfrun than this rank: start the same program everywhere");
  }
  RankInfo info{lines[0], lines[1], *level, *clock};
  for (size_t i = 4; i < lines.size(); ++i) {
    const size_t tab = lines[i].find('\t');
    if (tab != std::string::npos) info.facts.push_back({lines[i].substr(0, tab), lines[i].substr(tab + 1)});
  }
  return info;
}

Status CheckBuilds(const std::vector<RankInfo>& ranks) {
  for (size_t r = 1; r < ranks.size(); ++r) {
    if (ranks[r].build == ranks[0].build) continue;
    return FailedPrecondition(Named(ranks, r), " runs another build of dfrun (", ranks[r].build, ") than ",
                              Named(ranks, 0), " (", ranks[0].build, "); start the same program everywhere");
  }
  return Status();
}

std::vector<std::string> FindDifferences(const std::vector<RankInfo>& ranks) {
  std::vector<std::string> texts;
  for (const RankFact& fact : ranks[0].facts) {
    AddField(
        ranks, fact.name, [&](const RankInfo& info) { return ValueOf(info, fact.name); }, texts);
  }
  AddField(
      ranks, "a CPU of level", [](const RankInfo& info) { return StrCat(info.cpu_isa_level); }, texts);
  for (size_t r = 1; r < ranks.size(); ++r) {
    const int64_t ahead = ranks[r].clock_ns - ranks[0].clock_ns;
    if (std::abs(ahead) <= kClockNs) continue;
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.1f", std::abs(static_cast<double>(ahead)) * 1e-9);
    texts.push_back(StrCat("the clock of ", Named(ranks, r), " is ", seconds, " s ", ahead < 0 ? "behind" : "ahead of",
                           " that of ", Named(ranks, 0)));
  }
  return texts;
}

}  // namespace dfrun::comm
