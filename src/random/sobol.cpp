// Sobol's points: the exclusive or of the directions that the Gray code of a point's number names.
#include <algorithm>
#include <bit>

#include "src/array/parts.hpp"
#include "src/array/refuse.hpp"
#include "src/random/philox.hpp"
#include "warpwise/elementwise_kernel.hpp"

namespace warpwise::random {
namespace {

constexpr int kMostBits = 52;

Array words_on_device(const std::vector<std::uint64_t>& words,
                      const std::optional<Device>& device) {
    return from_host(words.data(), Shape{static_cast<std::int64_t>(words.size())}, uint64, nullptr,
                     device);
}

const ElementwiseKernel& points_kernel() {
    static const ElementwiseKernel& kernel = *new ElementwiseKernel(
        "const unsigned long long *directions, const unsigned long long *shift, long long first, "
        "long long dimensions, int bits, double unit, double *points",
        "const unsigned long long number = first + (long long)i / dimensions;"
        "const long long dimension = (long long)i % dimensions;"
        "unsigned long long gray = number ^ number >> 1;"
        "unsigned long long word = shift[dimension];"
        "for (int k = 0; k < bits; ++k) {"
        "    word ^= (gray >> k & 1) != 0 ? directions[dimension * bits + k] : 0;"
        "}"
        "points[i] = (double)word * unit",
        {.name = "sobol"});
    return kernel;
}

// A lower triangular matrix of bits with ones on its diagonal, times each number. Row and column 0
// are of the highest bit.
void multiply_by_random_matrix(std::span<std::uint64_t> numbers, int bits, HostWords& words) {
    std::vector<std::uint64_t> rows;
    for (int row = 0; row < bits; ++row) {
        const std::uint64_t diagonal = std::uint64_t{1} << (bits - 1 - row);
        const std::uint64_t high = words.word();
        const std::uint64_t all = high << 32 | words.word();
        const std::uint64_t above = ~(2 * diagonal - 1) & ((std::uint64_t{1} << bits) - 1);
        rows.push_back((all & above) | diagonal);
    }
    for (std::uint64_t& number : numbers) {
        std::uint64_t product = 0;
        for (const std::uint64_t row : rows) {
            product = product << 1 | (std::popcount(row & number) & 1u);
        }
        number = product;
    }
}

}  // namespace

Sobol::Sobol(std::span<const std::uint64_t> directions, std::int64_t dimensions, int bits,
             const std::optional<Device>& device)
    : directions_(directions.begin(), directions.end()),
      shift_(static_cast<std::size_t>(std::max<std::int64_t>(dimensions, 0)), 0),
      dimensions_(dimensions),
      bits_(bits),
      device_(device) {
    if (bits < 1 || bits > kMostBits) {
        array::refuse_value("Sobol got {} bits; it takes 1 to {}", bits, kMostBits);
    }
    if (dimensions < 1 || static_cast<std::int64_t>(directions.size()) != dimensions * bits) {
        array::refuse_value(
            "Sobol got {} direction numbers for {} dimensions of {} bits; it takes a "
            "number for each bit of each dimension",
            directions.size(), dimensions, bits);
    }
    for (const std::uint64_t one : directions_) {
        if (one >> bits == 0) continue;
        array::refuse_value("Sobol got the direction number {}, which has more than {} bits", one,
                            bits);
    }
    upload();
}

void Sobol::scramble(const SeedSequence& seed) {
    HostWords words(Philox(seed).state());
    const auto bits = static_cast<std::size_t>(bits_);
    for (std::size_t i = 0; i < shift_.size(); ++i) {
        multiply_by_random_matrix(std::span(directions_).subspan(i * bits, bits), bits_, words);
        const std::uint64_t high = words.word();
        shift_[i] = (high << 32 | words.word()) >> (64 - bits_);
    }
    upload();
    reset();
}

void Sobol::upload() {
    table_ = words_on_device(directions_, device_);
    offsets_ = words_on_device(shift_, device_);
}

void Sobol::fast_forward(std::int64_t count) {
    const std::int64_t most = std::int64_t{1} << bits_;
    if (count < 0 || count > most - index_) {
        array::refuse_value("Sobol got {} points to pass; from point {} on there are {}", count,
                            index_, most - index_);
    }
    index_ += count;
}

Array Sobol::random(std::int64_t count) {
    const std::int64_t first = index_;
    fast_forward(count);
    Array points = empty(Shape{count, dimensions_}, float64, table_.device());
    if (points.size() == 0) return points;
    const double unit = 1.0 / static_cast<double>(std::uint64_t{1} << bits_);
    points_kernel()(table_, offsets_, first, dimensions_, bits_, unit, points);
    return points;
}

}  // namespace warpwise::random
