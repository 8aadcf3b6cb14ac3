#include "src/session/layout_finders.h"

#include <algorithm>

namespace dfrun {

int LayoutFinders::Group::finder() const {
  return *std::min_element(ranks.begin(), ranks.end());
}

LayoutFinders::LayoutFinders(const std::vector<control::Layouts>& unknown) {
  for (const control::Layouts& of_rank : unknown) {
    for (const control::Layouts::File& file : of_rank.files()) {
      Group& group = groups_[{of_rank.host(), file.path(), file.layout(), file.follows_all()}];
      group.file = file;
      group.ranks.push_back(of_rank.rank());
    }
  }
}

control::FindLayouts LayoutFinders::RequestTo(int rank) const {
  control::FindLayouts request;
  for (const auto& [key, group] : groups_) {
    if (group.finder() == rank) *request.add_files() = group.file;
  }
  return request;
}

void LayoutFinders::Take(const control::Layouts& found) {
  int next = 0;
  for (auto& [key, group] : groups_) {
    if (group.finder() != found.rank() || next >= found.files_size()) continue;
    const control::Layouts::File& answer = found.files(next++);
    group.is_found = !answer.layout().empty();
    if (group.is_found) group.file = answer;
  }
}

void LayoutFinders::AddFound(int rank, control::Build& build) const {
  for (const auto& [key, group] : groups_) {
    if (!group.is_found || group.finder() == rank) continue;
    if (std::find(group.ranks.begin(), group.ranks.end(), rank) != group.ranks.end()) *build.add_files() = group.file;
  }
}

}  // namespace dfrun
