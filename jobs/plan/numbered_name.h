// Names that differ from copy to copy by numbers in them, which go up by equal steps.
#ifndef DFRUN_JOBS_PLAN_NUMBERED_NAME_H_
#define DFRUN_JOBS_PLAN_NUMBERED_NAME_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dfrun::jobs {

// Thread safety: as a standard container.
class NumberedName {
 public:
  // The names that go on as from `before` to `last`: replica_7/h1/W/_Recv_20, replica_8/h1/W/_Recv_24, and so on.
  // Nothing where the two differ by more than numbers.
  static std::optional<NumberedName> Of(std::string_view before, std::string_view last);

  // The name of copy 1, 2, ...; 0 gives `last`.
  std::string OfCopy(int copy) const;

 private:
  struct Piece {
    std::string text;  // before the number
    int64_t number = 0;
    int64_t step = 0;
  };
  std::vector<Piece> pieces_;
  std::string end_;
};

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_PLAN_NUMBERED_NAME_H_
