// Accesses whose places repeat: lane l + 3 has the place of lane l and some elements more, whatever
// the index of lane 0 is. Quotients and remainders of indices by small numbers are such, in[i % 3 *
// plane + i / 3] and out[i / 2], and so are sums of them, and products of what repeats as it is.
//
// Lanes l, l + 3, l + 6 ... are one run of elements in constant steps, so that as many loads as the
// period has lanes, and shuffles, take the place of a gather.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "src/backends/cpu/compiler/gang/analysis/lane_runs.hpp"

namespace warpwise::cpu_compiler::gang {

struct PlaceOfLane {
    unsigned anchor = 0;  // a lane
    std::int64_t distance = 0;
};

struct LanePeriod {
    unsigned period = 0;    // in lanes
    unsigned lanes = 0;     // that repeat: those of the gang, or of each piece by itself
    std::int64_t step = 0;  // from one period to the next, in elements
    // Each operand may wrap between the lanes of a run, by so much from one to the next.
    std::vector<std::pair<llvm::CastInst*, std::int64_t>> widenings = {};
    std::vector<llvm::Instruction*> leaves = {};  // of which each piece has a scalar
    // Of a load of which also the lanes of one period lie in known steps: the elements of each lane
    // behind the last one in front of it that has none, and what may wrap between those.
    std::vector<PlaceOfLane> places = {};
    std::vector<llvm::CastInst*> widenings_of_places = {};
};

class LanePeriods {
  public:
    LanePeriods(const Shapes& shapes, const Layout& layout) : shapes_(shapes), layout_(layout) {}

    // Of a simple load or store; nothing where its address has steps from lane to lane, or does not
    // repeat.
    const LanePeriod* of(llvm::Instruction& access);
    // Of an access in a tile of threads: each row has the places of the row above and one element
    // more or less, so that what the lanes of a column of the tile access is a run. At most one
    // index may wrap on the way.
    const LanePeriod* down_tile(llvm::Instruction& access);
    // What the values of lanes that lie so far apart were followed by.
    LaneRuns& runs(unsigned period);

  private:
    std::optional<LanePeriod> find(llvm::Instruction& access);
    std::optional<LanePeriod> find_down_tile(llvm::Instruction& access);
    std::optional<LanePeriod> follow(llvm::Instruction& access, unsigned period, unsigned lanes);
    void find_places(llvm::LoadInst& load, LanePeriod& found);
    bool is_exact(llvm::Value* value, bool is_signed, const LaneRuns& runs) const;

    const Shapes& shapes_;
    const Layout& layout_;
    llvm::DenseMap<unsigned, std::unique_ptr<LaneRuns>> runs_;
    llvm::DenseMap<const llvm::Instruction*, std::optional<LanePeriod>> found_;
    llvm::DenseMap<const llvm::Instruction*, std::optional<LanePeriod>> down_tile_;
};

}  // namespace warpwise::cpu_compiler::gang
