// Lists of numbers for people.
#ifndef DFRUN_SRC_BASE_NUMBER_RUNS_H_
#define DFRUN_SRC_BASE_NUMBER_RUNS_H_

#include <span>
#include <string>

namespace dfrun {

// "1, 2, 7 to 99, 101": ascending numbers, of which four or more behind each other are one entry; of more than eight
// entries the first eight, and how many numbers the others are: "..., and 20 more".
std::string NumberRuns(std::span<const int> ascending);

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_NUMBER_RUNS_H_
