// The policy of the loop nest that packs both operands while it multiplies. While a panel of B is multiplied by a
// part's rows of A, the next panel is packed; the tiles of a part are packed during its first panel, each while the one
// before is multiplied.
#ifndef DFRUN_KERNELS_GEMM_OVERLAPPED_PACKING_H_
#define DFRUN_KERNELS_GEMM_OVERLAPPED_PACKING_H_

#include <algorithm>
#include <utility>

#include "kernels/gemm/column_panels.h"
#include "kernels/gemm/even_ranges.h"
#include "kernels/gemm/loop_nest.h"
#include "kernels/gemm/packed_ukernel.h"
#include "src/base/integers.h"

namespace dfrun {

// The sizes of the scratch memory for parts of at most `rows` rows and `depth` elements of k.
template <class T>
struct PackedSpace {
  PackedSpace(int64_t rows, int64_t depth)
      : panel_elements(depth * kPanelColumns<T>),
        slots(CeilDiv<int64_t>(rows, kBlockRows) + 1),
        slot_elements(TilePacker<T>::Elements(depth)) {}
  int64_t scratch_elements() const { return 2 * panel_elements + slots * slot_elements; }

  int64_t panel_elements;
  int64_t slots;  // for tiles of A
  int64_t slot_elements;
};

// Some rows of A over some of k. The last is followed by one without rows.
struct PackedPart {
  Range rows;
  int64_t used_rows;  // number of these rows that are multiplied
  Range depth;
  bool continues;    // C is the sum of earlier parts
  bool is_whole;     // C is whole after it
  bool keeps_tiles;  // uses the tiles of the part before, whose rows and depth it has
};

// Operands: what is multiplied, and in which parts.
//   Part: a PackedPart and what it knows of one
//   Part First() const, After(part) const
//   PanelPacker<T> PackerOfPanel(part, columns, T* to, int64_t width) const, PackerOfTile(part, rows, T* to) const
//   void RowsOfC(part, rows, int64_t column, T** to) const: where each begins
//   bool UsesTile(part, rows) const: else none of them is multiplied. The first is by a part that keeps no tiles, some
//   tile by any
//   bool KeepsTile(part, rows) const: a tile that it uses was packed for an earlier part
template <class T, class Operands>
class OverlappedPacking {
 public:
  struct Part : Operands::Part {
    Part(const typename Operands::Part& part, int64_t panel_count, int64_t slot)
        : Operands::Part(part),
          panels{0, part.rows.size > 0 ? panel_count : 0},
          tiles(part.rows.size, std::max<int64_t>(1, CeilDiv<int64_t>(part.rows.size, kBlockRows))),
          first_slot(slot) {}
    Range Tile(int64_t i) const {
      const Range tile = tiles.At(i);
      return {this->rows.begin + tile.begin, tile.size};
    }
    int64_t turns() const { return std::max<int64_t>(1, this->depth.size / kTurnDepth<T>); }  // turns for a tile
    int64_t used_tiles() const { return CeilDiv<int64_t>(this->used_rows, kBlockRows); }      // about

    Range panels;
    EvenRanges tiles;    // tiles of the rows
    int64_t first_slot;  // first slot of its tiles
  };

  // columns: of B and C. Scratch memory of space.scratch_elements().
  OverlappedPacking(const Operands& operands, bool transposed_a, int64_t columns, const Epilogue<T>& epilogue,
                    const PackedSpace<T>& space, T* scratch)
      : operands_(operands),
        panels_(columns),
        epilogue_(epilogue),
        space_(space),
        packed_b_(scratch),
        packed_a_(scratch + 2 * space.panel_elements) {
    o_.transposed_a = transposed_a;
    o_.overlapped = &work_;
  }

  // Packs the first panel and the first tile.
  Part First() {
    const Part part(operands_.First(), panels_.count(), 0);
    const ColumnPanel panel = panels_.At(0);
    PackerOfPanel(part, panel, next_b_).Finish();
    operands_.PackerOfTile(part, part.Tile(0), PackedTile(part, 0)).Finish();
    operands_.RowsOfC(part, part.Tile(0), panel.column, next_c_);
    return part;
  }
  Part After(const Part& part) const {
    const auto next = operands_.After(part);
    return Part(next, panels_.count(), next.keeps_tiles ? part.first_slot : SlotOf(part, part.tiles.count()));
  }

  int64_t BeginPanel(const Part& part, const Part& next, int64_t i) {
    const bool is_last = i + 1 == part.panels.end();
    panel_ = panels_.At(i);
    next_panel_ = panels_.At(is_last ? 0 : i + 1);
    work_.next_rows_a_turn = CeilDiv<int64_t>(kBlockRows, part.turns());
    work_.panel.Finish();
    o_.b = next_b_;
    o_.depth = part.depth.size;
    o_.last_columns = LastColumns<T>(panel_);
    o_.continues = part.continues;
    o_.epilogue = {};
    StartPanel(is_last ? next : part, part);
    return FirstTile(part);
  }

  int64_t RunTile(const Part& part, const Part& next, int64_t i, int64_t tile) {
    const bool is_last = i + 1 == part.panels.end();
    const int64_t tile_after = NextTile(part, tile + 1);
    const bool is_last_tile = tile_after == kNoTile;
    const Part& part_of_next = is_last_tile && is_last ? next : part;
    const int64_t next_tile = is_last_tile ? FirstTile(part_of_next) : tile_after;
    work_.tile.Finish();
    if (is_last_tile ? is_last : i == 0) StartTile(part_of_next, next_tile, part.turns());
    std::swap(c_, next_c_);
    const Range next_rows = part_of_next.Tile(next_tile);
    operands_.RowsOfC(part_of_next, next_rows, (is_last_tile ? next_panel_ : panel_).column, next_c_);
    work_.next_c = next_c_;
    work_.next_rows = next_rows.size;
    const Range rows = part.Tile(tile);
    o_.a = PackedTile(part, tile);
    o_.c = c_;
    if (part.is_whole) o_.epilogue = epilogue_.At(rows.begin, panel_.column);
    work_.panel.TakeTile();
    RunPackedUkernel(rows.size, panel_.vectors, o_);
    return tile_after;
  }

 private:
  // The first from `tile` on that the part uses.
  int64_t NextTile(const Part& part, int64_t tile) const {
    while (tile < part.tiles.count() && !operands_.UsesTile(part, part.Tile(tile))) ++tile;
    return tile < part.tiles.count() ? tile : kNoTile;
  }
  int64_t FirstTile(const Part& part) const { return part.keeps_tiles ? NextTile(part, 0) : 0; }

  PanelPacker<T> PackerOfPanel(const Part& part, const ColumnPanel& panel, T* to) const {
    return operands_.PackerOfPanel(part, {panel.column, panel.columns}, to, int64_t{panel.vectors} * kLanes<T>);
  }
  // Begins to pack the next panel, for `part`, during the tiles of another.
  void StartPanel(const Part& part, const Part& during) {
    next_b_ = packed_b_ + (next_b_ == packed_b_ ? space_.panel_elements : 0);
    if (part.rows.size == 0) return;
    work_.panel = PackerOfPanel(part, next_panel_, next_b_);
    work_.panel.SpreadOver(during.used_tiles(), during.turns());
  }
  void StartTile(const Part& part, int64_t tile, int64_t turns) {
    const Range rows = part.Tile(tile);
    if (rows.size == 0 || operands_.KeepsTile(part, rows)) return;
    work_.tile = operands_.PackerOfTile(part, rows, PackedTile(part, tile));
    work_.tile.SpreadOver(turns);
  }
  int64_t SlotOf(const Part& part, int64_t tile) const {
    const int64_t slot = part.first_slot + tile;
    return slot < space_.slots ? slot : slot - space_.slots;
  }
  T* PackedTile(const Part& part, int64_t tile) const { return packed_a_ + SlotOf(part, tile) * space_.slot_elements; }

  const Operands& operands_;
  const ColumnPanels<T> panels_;
  const Epilogue<T>& epilogue_;
  const PackedSpace<T> space_;
  T* const packed_b_;
  T* const packed_a_;
  T* next_b_ = packed_b_;  // the next panel, packed or being packed
  ColumnPanel panel_{};    // that is multiplied
  ColumnPanel next_panel_{};
  PackedUkernelOperands<T> o_{};
  T* rows_of_c_[2][kBlockRows];
  T** c_ = rows_of_c_[0];
  T** next_c_ = rows_of_c_[1];
  OverlappedWork<T> work_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_GEMM_OVERLAPPED_PACKING_H_
