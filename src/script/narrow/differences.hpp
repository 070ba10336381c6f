// How far whole numbers are apart: a zone of those pairs alone of which assignments and conditions
// say something (A. Mine, "A New Numerical Abstract Domain Based on Difference-Bound Matrices",
// PADO 2001).
//
// Threading: plain values.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "src/script/narrow/interval.hpp"

namespace warpwise::script {

// The first variable, by its number, less the second is not below `least`.
struct Difference {
    std::size_t first = 0;
    std::size_t second = 0;
    Wide least = 0;

    bool operator==(const Difference&) const = default;
};

class Differences {
  public:
    // Empty: nothing is known.
    std::optional<Wide> least(std::size_t first, std::size_t second) const;
    // Also of others that are known to be apart from one of the two. Beyond kMost pairs, and of
    // distances beyond 2^40, nothing is kept.
    void raise(const Difference& known);
    // The variable has another value.
    void forget(std::size_t variable);
    // As raise(), of this pair alone.
    void keep(const Difference& known);
    const std::vector<Difference>& all() const noexcept { return all_; }

  private:
    static constexpr std::size_t kMost = 256;

    std::vector<Difference> all_;  // ordered by both variables
};

}  // namespace warpwise::script
