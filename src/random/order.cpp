// Choices, permutations, shuffles: indices, and the elements that they lead to.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>

#include "src/algorithm/parameters.hpp"
#include "src/array/refuse.hpp"
#include "src/base/mutex.hpp"
#include "src/random/call.hpp"
#include "src/random/philox.hpp"
#include "warpwise/elementwise_kernel.hpp"

namespace warpwise::random {
namespace {

// Permutations of as many numbers are drawn on the host.
constexpr std::int64_t kMostOnHost = 4096;

Array on_device(const std::vector<std::int64_t>& numbers, const std::optional<Device>& device) {
    return from_host(numbers.data(), Shape{static_cast<std::int64_t>(numbers.size())}, int64,
                     nullptr, device);
}

// Seen as (outer, n, inner), the elements `at` of the middle axis.
const ElementwiseKernel& gather_kernel(const DType& dtype) {
    static Mutex& mutex = *new Mutex;
    static auto& kernels = *new std::map<std::string, ElementwiseKernel>;
    const std::string type = algorithm::type_of(dtype);
    if (type.empty()) {
        array::refuse_type("a choice or shuffle of {} needs a name for it; see register_dtype",
                           dtype.name());
    }
    MutexLock lock(mutex);
    const auto known = kernels.find(type);
    if (known != kernels.end()) return known->second;
    std::vector<KernelParameter> parameters{
        {.name = "from", .type = type, .dtype = dtype, .is_array = true, .is_const = true},
        {.name = "at", .type = "long long", .dtype = int64, .is_array = true, .is_const = true},
        {.name = "axis", .type = "long long", .dtype = int64},
        {.name = "taken", .type = "long long", .dtype = int64},
        {.name = "inner", .type = "long long", .dtype = int64},
        {.name = "to", .type = type, .dtype = dtype, .is_array = true}};
    return kernels
        .try_emplace(
            type, std::move(parameters),
            "to[i] = from[((long long)i / (taken * inner) * axis + at[(long long)i / inner "
            "% taken]) * inner + (long long)i % inner]",
            KernelText{.name = "gather"})
        .first->second;
}

int checked_axis(const Array& array, int axis, std::string_view function) {
    if (array.ndim() == 0) {
        array::refuse_value("{} got a 0-d array; give an array with an axis, or a count", function);
    }
    return array::checked_axes(std::span(&axis, 1), array.ndim(), function)[0];
}

// The elements at `index`, an int64 array of any shape, in place of the axis.
Array gathered(const Array& from, const Array& index, int axis) {
    const std::int64_t length = from.shape()[axis];
    std::int64_t inner = 1;
    Shape shape;
    for (int i = 0; i < axis; ++i) shape.push_back(from.shape()[i]);
    for (const std::int64_t extent : index.shape()) shape.push_back(extent);
    for (int i = axis + 1; i < from.ndim(); ++i) {
        shape.push_back(from.shape()[i]);
        inner *= from.shape()[i];
    }
    Array to = array::empty_beside(from, shape, from.dtype());
    if (to.size() == 0) return to;
    gather_kernel(from.dtype())(from, ascontiguousarray(index), length, index.size(), inner, to);
    return to;
}

std::vector<std::int64_t> shuffled(std::int64_t count, const PhiloxState& state) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    HostWords words(state);
    for (std::size_t left = order.size(); left > 1; --left) {
        std::swap(order[left - 1], order[static_cast<std::size_t>(words.below(left))]);
    }
    return order;
}

void require_probabilities(std::span<const double> p, std::int64_t count) {
    if (static_cast<std::int64_t>(p.size()) != count) {
        array::refuse_value("choice got {} probabilities for {} elements; give one for each",
                            p.size(), count);
    }
    double sum = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        if (!(p[i] >= 0)) {
            array::refuse_value("choice got p[{}]={}; probabilities are 0 or more", i, p[i]);
        }
        sum += p[i];
    }
    if (!(std::abs(sum - 1) <= 1e-8)) {
        array::refuse_value("choice got probabilities whose sum is {}; it must be 1", sum);
    }
}

// The least index whose sum of probabilities exceeds a uniform number.
Array by_probability(BitGenerator& bits, const Shape& size, std::span<const double> p,
                     const std::optional<Device>& device) {
    static const ElementwiseKernel& search = *new ElementwiseKernel(
        "const double *u, const double *sums, long long count, long long *index",
        "long long low = 0, high = count - 1;"
        "while (low < high) {"
        "    const long long middle = (low + high) / 2;"
        "    if (sums[middle] > u[i]) high = middle; else low = middle + 1;"
        "}"
        "index[i] = low",
        {.name = "choice"});
    std::vector<double> sums(p.size());
    std::partial_sum(p.begin(), p.end(), sums.begin());
    // No number is beyond the last element that has a probability.
    const double all = sums.back();
    for (double& one : sums) one = one >= all ? 1.0 : one / all;
    const Sample sample{.shape = size, .device = device};
    const Call call("choice", bits, sample, {});
    const Array uniform = call.draw(ir::Draw::Uniform);
    Array index = array::empty_beside(uniform, size, int64);
    if (index.size() == 0) return index;
    const auto count = static_cast<std::int64_t>(p.size());
    const Array table = from_host(sums.data(), Shape{count}, float64, nullptr, uniform.device());
    search(uniform, table, count, index);
    return index;
}

// The elements with the least exponential numbers by their probabilities, in that order: P. S.
// Efraimidis and P. G. Spirakis, "Weighted random sampling with a reservoir", 2006.
std::vector<std::int64_t> without_replacement(const PhiloxState& state, std::int64_t size,
                                              std::span<const double> p) {
    const auto possible = std::ranges::count_if(p, [](double one) { return one > 0; });
    if (possible < size) {
        array::refuse_value(
            "choice got {} elements with a probability above 0, fewer than the {} to take without "
            "replacement",
            possible, size);
    }
    HostWords words(state);
    std::vector<std::pair<double, std::int64_t>> keys;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const double exponential = -std::log(words.unit());
        if (p[i] > 0) keys.emplace_back(exponential / p[i], static_cast<std::int64_t>(i));
    }
    std::partial_sort(keys.begin(), keys.begin() + size, keys.end());
    std::vector<std::int64_t> order;
    order.reserve(static_cast<std::size_t>(size));
    for (std::int64_t i = 0; i < size; ++i) {
        order.push_back(keys[static_cast<std::size_t>(i)].second);
    }
    return order;
}

// The first `taken` numbers of a permutation of 0, ..., count - 1.
Array permuted(BitGenerator& bits, std::int64_t count, std::int64_t taken,
               const std::optional<Device>& device) {
    if (count <= kMostOnHost) {
        std::vector<std::int64_t> order = shuffled(count, host_state(bits, count));
        order.resize(static_cast<std::size_t>(taken));
        return on_device(order, device);
    }
    const Sample sample{.shape = Shape{taken}, .device = device};
    const Call call("permutation", bits, sample, {}, Kind::Int64);
    std::int64_t half = 1;
    while (half < 32 && (std::uint64_t{1} << (2 * half)) < static_cast<std::uint64_t>(count)) {
        ++half;
    }
    return call.draw(ir::Draw::Permuted, Kind::Int64, Kind::UInt64,
                     {Scalar(static_cast<std::uint64_t>(count)), Scalar(half)});
}

}  // namespace

Array Generator::permutation(std::int64_t count, const std::optional<Device>& device) {
    if (count < 0) array::refuse_value("permutation got {}; give 0 or more", count);
    return permuted(bits_, count, count, device);
}

Array Generator::permutation(const Array& array, int axis) {
    const int at = checked_axis(array, axis, "permutation");
    return gathered(array, permutation(array.shape()[at], array.device()), at);
}

void Generator::shuffle(Array& array, int axis) {
    const int at = checked_axis(array, axis, "shuffle");
    array::require_writable(array, "shuffle");
    array.assign(gathered(array, permutation(array.shape()[at], array.device()), at));
}

Array Generator::choice(std::int64_t count, const Shape& size, bool replace,
                        std::span<const double> p, const std::optional<Device>& device) {
    const std::int64_t taken = count_of(size);
    if (count < 0) array::refuse_value("choice got {} elements; give 0 or more", count);
    if (count == 0 && taken > 0) {
        array::refuse_value("choice got no elements to take {} of; give 1 or more", taken);
    }
    if (!replace && taken > count) {
        array::refuse_value(
            "choice got {} elements, fewer than the {} to take without replacement; take fewer, or "
            "pass replace=True",
            count, taken);
    }
    if (!p.empty()) require_probabilities(p, count);
    if (taken == 0) return empty(size, int64, device);
    if (replace && !p.empty()) return by_probability(bits_, size, p, device);
    if (replace) return integers(Operand(0), Operand(count), {.shape = size, .device = device});
    if (!p.empty()) {
        const PhiloxState state = host_state(bits_, 2 * count);
        return on_device(without_replacement(state, taken, p), device).reshape(size);
    }
    return permuted(bits_, count, taken, device).reshape(size);
}

Array Generator::choice(const Array& array, const Shape& size, bool replace,
                        std::span<const double> p, int axis) {
    const int at = checked_axis(array, axis, "choice");
    return gathered(array, choice(array.shape()[at], size, replace, p, array.device()), at);
}

}  // namespace warpwise::random
