#include "src/spec/schema/near_key.h"

#include <algorithm>

#include "src/base/characters.h"
#include "src/base/status.h"
#include "src/base/text.h"
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

std::vector<std::string_view> Split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (size_t end = 0; end != std::string_view::npos; text.remove_prefix(std::min(end + 1, text.size()))) {
    end = text.find(at);
    if (!text.substr(0, end).empty()) parts.push_back(text.substr(0, end));
  }
  return parts;
}

// Whether there are words, and all are among `words`.
bool IsAmong(const std::vector<std::string_view>& some, const std::vector<std::string_view>& words) {
  return !some.empty() && std::all_of(some.begin(), some.end(), [&](std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  });
}

std::string Suggest(std::string_view text, const std::string& near) {
  const std::string strange = FindLookAlike(text);
  return StrCat(near.empty() ? "" : StrCat(", did you mean '", near, "'?"),
                strange.empty() ? "" : StrCat(" (it holds ", strange, ")"));
}

}  // namespace

std::string KeyOfWords(std::string_view text, const std::vector<std::string>& candidates) {
  std::string near;
  const std::vector<std::string_view> words = Split(text, '_');
  for (const std::string& candidate : candidates) {
    const std::vector<std::string_view> others = Split(candidate, '_');
    std::string initials;
    for (const std::string_view word : others) initials += word.substr(0, 1);
    if (others.size() > 1 && initials == text) return candidate;
    const bool is_part = IsAmong(others, words) || IsAmong(words, others);
    if (is_part && candidate.size() > near.size()) near = candidate;
  }
  return near;
}

std::string DidYouMean(std::string_view text, const std::vector<std::string>& candidates) {
  return Suggest(text, Nearest(WithoutLookAlikes(text), candidates));
}

std::string DidYouMeanKey(std::string_view text, const std::vector<std::string>& known) {
  const std::string plain = WithoutLookAlikes(text);
  const std::string letters = Nearest(plain, known);
  return Suggest(text, letters.empty() ? KeyOfWords(plain, known) : letters);
}

}  // namespace dfrun
