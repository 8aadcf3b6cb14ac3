// One thread's product of operands that are copied, part by part: some rows of A over some of k. While a panel of B is
// multiplied by a part, the next panel is copied; the tiles of a part are copied beside its first panel, each while the
// one before is multiplied.
#ifndef DFRUN_KERNELS_MATRIX_PACKED_WALK_H_
#define DFRUN_KERNELS_MATRIX_PACKED_WALK_H_

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "kernels/matrix/column_panels.h"
#include "kernels/matrix/even_ranges.h"
#include "kernels/matrix/packed_block.h"
#include "src/base/integers.h"

namespace dfrun {

// What A's rows may take of the second-level cache of one core; the rest is for panels of B and C.
inline int64_t CachedBytesOfA() {
  constexpr int64_t kLeast = int64_t{1} << 19;
  static const int64_t bytes = std::clamp<int64_t>(sysconf(_SC_LEVEL2_CACHE_SIZE) / 8 * 5, kLeast, 4 * kLeast);
  return bytes;
}
// Longest pass over k where C is stored, which the next pass reads again.
inline constexpr int64_t kMaxPackedDepth = 768;
// Of a pass over k: all of it where C is not stored but changed.
inline int64_t PackedDepth(GemmInto into, int64_t k) {
  return into == GemmInto::kStore ? CeilDiv(k, CeilDiv<int64_t>(k, kMaxPackedDepth)) : k;
}
// Rows of A that are multiplied by all of B before the next: even parts of m, but for `least` no more than the cache
// has room for.
template <class T>
int64_t CachedRows(int64_t m, int64_t depth, int64_t least) {
  const int64_t cached = std::max<int64_t>(CachedBytesOfA() / static_cast<int64_t>(sizeof(T)) / depth, least);
  return CeilDiv(m, CeilDiv(m, cached));
}
template <class T>
constexpr int64_t kPanelColumns = int64_t{kMaxVectors} * kLanes<T>;

// Scratch memory of parts of at most so many rows and so much of k.
template <class T>
struct PackedSpace {
  using Element = T;

  PackedSpace(int64_t rows, int64_t depth)
      : panel_elements(depth * kPanelColumns<T>),
        slots(CeilDiv<int64_t>(rows, kTileRows) + 1),
        slot_elements(TileCopy<T>::Elements(depth)) {}
  int64_t scratch_elements() const { return 2 * panel_elements + slots * slot_elements; }

  int64_t panel_elements;
  int64_t slots;  // for tiles of A
  int64_t slot_elements;
};

// Some rows of A over some of k. The last is followed by one without rows.
struct PackedPart {
  Range rows;
  int64_t used_rows;  // of those, that are multiplied
  Range depth;
  bool continues;    // C is the sum of earlier parts
  bool is_whole;     // C is whole after it
  bool keeps_tiles;  // of the part before, whose rows and depth it has
};

// Parts:
//   Part: a PackedPart and what it knows of one
//   Part First() const, After(part) const
//   PanelCopy<T> CopyOfPanel(part, columns, T* to, int64_t width) const, CopyOfTile(part, rows, T* to) const
//   void RowsOfC(part, rows, int64_t column, T** to) const: where each begins
//   bool UsesTile(part, rows) const: else none of them is multiplied. The first is by a part that keeps no tiles, some
//   tile by any
//   bool KeepsTile(part, rows) const: a tile that it uses was copied for an earlier part
template <class T, class Parts>
class PackedWalk {
 public:
  // columns: of B and C. segment: as PackedGemm's. Scratch memory of space.scratch_elements().
  PackedWalk(const Parts& parts, bool transposed_a, int64_t columns, const GemmOutput<T>& output, int64_t segment,
             const PackedSpace<T>& space, T* scratch)
      : parts_(parts),
        panels_(columns),
        output_(output),
        space_(space),
        packed_b_(scratch),
        packed_a_(scratch + 2 * space.panel_elements) {
    o_.transposed_a = transposed_a;
    o_.into = output.into;
    o_.rate = output.rate;
    o_.beside = &beside_;
    if (segment > 0) o_.totals = totals_;
    o_.segment_turns = segment / kTurnDepth<T>;
  }

  void Run() {
    Part part(parts_.First(), 0);
    const ColumnPanel panel = panels_.At(0);
    // Nothing can be computed beside these.
    CopyOfPanel(part, panel, next_b_).Finish();
    parts_.CopyOfTile(part, part.Tile(0), PlaceOf(part, 0)).Finish();
    parts_.RowsOfC(part, part.Tile(0), panel.column, next_c_);
    while (part.rows.size > 0) {
      const auto next = parts_.After(part);
      const Part next_part(next, next.keeps_tiles ? part.first_slot : SlotOf(part, part.tiles.count()));
      RunPart(part, next_part);
      part = next_part;
    }
  }

 private:
  struct Part : Parts::Part {
    Part(const typename Parts::Part& part, int64_t slot)
        : Parts::Part(part),
          tiles(part.rows.size, std::max<int64_t>(1, CeilDiv<int64_t>(part.rows.size, kTileRows))),
          first_slot(slot) {}
    Range Tile(int64_t i) const {
      const Range tile = tiles.At(i);
      return {this->rows.begin + tile.begin, tile.size};
    }
    int64_t turns() const { return std::max<int64_t>(1, this->depth.size / kTurnDepth<T>); }  // of a tile
    int64_t used_tiles() const { return CeilDiv<int64_t>(this->used_rows, kTileRows); }       // about

    EvenRanges tiles;    // of the rows
    int64_t first_slot;  // of its tiles
  };
  void RunPart(const Part& part, const Part& next) {
    const int64_t panels = panels_.count();
    beside_.next_rows_a_turn = CeilDiv<int64_t>(kTileRows, part.turns());
    for (int64_t i = 0; i < panels; ++i) {
      const bool is_last = i + 1 == panels;
      const ColumnPanel panel = panels_.At(i);
      const ColumnPanel next_panel = panels_.At(is_last ? 0 : i + 1);
      beside_.panel.Finish();
      o_.b = next_b_;
      o_.depth = part.depth.size;
      o_.last_columns = LastColumns<T>(panel);
      o_.continues = part.continues;
      o_.finish = {};
      StartPanelCopy(is_last ? next : part, next_panel, part);
      RunPanel(part, next, i, panel, next_panel);
    }
    beside_.tile.Finish();
  }

  void RunPanel(const Part& part, const Part& next, int64_t i, const ColumnPanel& panel,
                const ColumnPanel& next_panel) {
    const bool is_last = i + 1 == panels_.count();
    int64_t tile = FirstTile(part);
    while (tile < part.tiles.count()) {
      const int64_t tile_after = NextTile(part, tile + 1);
      const bool is_last_tile = tile_after == part.tiles.count();
      const Part& part_of_next = is_last_tile && is_last ? next : part;
      const int64_t next_tile = is_last_tile ? FirstTile(part_of_next) : tile_after;
      beside_.tile.Finish();
      if (is_last_tile ? is_last : i == 0) StartTileCopy(part_of_next, next_tile, part.turns());
      std::swap(c_, next_c_);
      const Range next_rows = part_of_next.Tile(next_tile);
      parts_.RowsOfC(part_of_next, next_rows, (is_last_tile ? next_panel : panel).column, next_c_);
      beside_.next_c = next_c_;
      beside_.next_rows = next_rows.size;
      const Range rows = part.Tile(tile);
      o_.a = PlaceOf(part, tile);
      o_.c = c_;
      if (part.is_whole) o_.finish = output_.OfBlock(rows.begin, panel.column);
      beside_.panel.TakeTile();
      RunPackedBlock(rows.size, panel.vectors, o_);
      tile = tile_after;
    }
  }

  // The first from `tile` on that the part uses, or how many there are.
  int64_t NextTile(const Part& part, int64_t tile) const {
    while (tile < part.tiles.count() && !parts_.UsesTile(part, part.Tile(tile))) ++tile;
    return tile;
  }
  int64_t FirstTile(const Part& part) const { return part.keeps_tiles ? NextTile(part, 0) : 0; }

  PanelCopy<T> CopyOfPanel(const Part& part, const ColumnPanel& panel, T* to) const {
    return parts_.CopyOfPanel(part, {panel.column, panel.columns}, to, int64_t{panel.vectors} * kLanes<T>);
  }
  void StartPanelCopy(const Part& part, const ColumnPanel& panel, const Part& beside) {
    next_b_ = packed_b_ + (next_b_ == packed_b_ ? space_.panel_elements : 0);
    if (part.rows.size == 0) return;
    beside_.panel = CopyOfPanel(part, panel, next_b_);
    beside_.panel.SpreadOver(beside.used_tiles(), beside.turns());
  }

  void StartTileCopy(const Part& part, int64_t tile, int64_t turns) {
    const Range rows = part.Tile(tile);
    if (rows.size == 0 || parts_.KeepsTile(part, rows)) return;
    beside_.tile = parts_.CopyOfTile(part, rows, PlaceOf(part, tile));
    beside_.tile.SpreadOver(turns);
  }
  int64_t SlotOf(const Part& part, int64_t tile) const {
    const int64_t slot = part.first_slot + tile;
    return slot < space_.slots ? slot : slot - space_.slots;
  }
  T* PlaceOf(const Part& part, int64_t tile) const { return packed_a_ + SlotOf(part, tile) * space_.slot_elements; }

  const Parts& parts_;
  const ColumnPanels<T> panels_;
  const GemmOutput<T>& output_;
  const PackedSpace<T> space_;
  T* const packed_b_;
  T* const packed_a_;
  T* next_b_ = packed_b_;  // where the next panel is, or is copied to
  PackedOperands<T> o_{};
  T* rows_of_c_[2][kTileRows];
  T** c_ = rows_of_c_[0];
  T** next_c_ = rows_of_c_[1];
  alignas(64) T totals_[kTileRows * kPanelColumns<T>];
  BesideBlock<T> beside_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATRIX_PACKED_WALK_H_
