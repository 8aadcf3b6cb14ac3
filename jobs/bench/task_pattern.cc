#include "jobs/bench/task_pattern.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace dfrun::jobs {
namespace {

constexpr int kRadix = 5;  // number of sources in `nearest` and `spread`

std::vector<int> Trivial(int, int, int) {
  return {};
}

// Returns the columns of the range that the grid has.
std::vector<int> Between(int first, int last, int width) {
  std::vector<int> columns;
  for (int c = std::max(first, 0); c <= std::min(last, width - 1); ++c) columns.push_back(c);
  return columns;
}

std::vector<int> Stencil(int, int column, int width) {
  return Between(column - 1, column + 1, width);
}

std::vector<int> Tree(int, int column, int) {
  return {column / 2};
}

std::vector<int> Fft(int row, int column, int width) {
  const int levels = std::max(1, static_cast<int>(std::bit_width(static_cast<unsigned>(width))) - 1);
  const int distance = 1 << ((row - 1) % levels);
  std::vector<int> columns;
  for (const int c : {column - distance, column, column + distance}) {
    if (c >= 0 && c < width) columns.push_back(c);
  }
  return columns;
}

std::vector<int> AllToAll(int, int, int width) {
  return Between(0, width - 1, width);
}

std::vector<int> Nearest(int, int column, int width) {
  return Between(column - kRadix / 2, column + kRadix / 2, width);
}

// Returns columns as far apart as possible, different ones in each row.
std::vector<int> Spread(int row, int column, int width) {
  const int sources = std::min(kRadix, width);
  std::vector<int> columns;
  columns.reserve(static_cast<size_t>(sources));
  for (int i = 0; i < sources; ++i) {
    columns.push_back((column + i * width / sources + (i > 0 ? row - 1 : 0)) % width);
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

// Returns the task's own column, and each other one with probability 1/4.
std::vector<int> Random(int row, int column, int width) {
  std::vector<int> columns;
  for (int c = 0; c < width; ++c) {
    uint64_t h = (static_cast<uint64_t>(row) << 40) ^ (static_cast<uint64_t>(column) << 20) ^ static_cast<uint64_t>(c);
    h = (h ^ (h >> 31)) * 0x9e3779b97f4a7c15U;
    h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9U;
    if (c == column || (h >> 62) == 0) columns.push_back(c);
  }
  return columns;
}

constexpr TaskPattern kPatterns[] = {{"trivial", &Trivial}, {"stencil_1d", &Stencil},  {"tree", &Tree},
                                     {"fft", &Fft},         {"all_to_all", &AllToAll}, {"nearest", &Nearest},
                                     {"spread", &Spread},   {"random", &Random}};

}  // namespace

std::span<const TaskPattern> TaskPatterns() {
  return kPatterns;
}

}  // namespace dfrun::jobs
