// Random numbers: NumPy's generators on every device, with the same values on all of them.
//
//   namespace wr = warpwise::random;
//   wr::Generator rng = wr::default_rng(42);
//   ww::Array x = rng.normal(0.0, 2.0, {.shape = ww::Shape{1000, 3}, .dtype = ww::float32});
//   ww::Array mean = ww::mean(rng.random({.shape = ww::Shape{1 << 28}}));   // never stored
//
// Values. A number is a function of the generator's state at the call and of the position of its
// element: Philox4x32-10 of a counter, or cuRAND's XORWOW of a subsequence and an offset. So it
// does not depend on the device, on the number of threads, or on what it is fused with: CPU and GPU
// agree bit by bit. Distributions that draw until a number is accepted (gamma, beta, poisson,
// binomial, ...) have counters of their own for each element. The streams are versioned:
// kStreamVersion grows when a number changes. They are not NumPy's streams, but SeedSequence is
// NumPy's, bit by bit.
//
// State advances at the call. Philox's values are lazy as those of every array operation; XORWOW's,
// whose words follow from those before, are computed into memory by a kernel at the call.
//
// Parameters are numbers or arrays, which broadcast. Numbers out of the domain throw ArgumentError
// at the call. Elements of arrays are looked at when the values are computed: where they are out
// of the domain the result is NaN, or 0 for integers.
//
// Results: float64 (integers: int64) of the shape that is asked for, else of the parameters' shape,
// which is 0-d for numbers. dtype float32 computes in float32 what has a fixed cost.
//
// Ownership: generators are handles; copies share one state. Errors: ArgumentError.
// Threading: any thread; calls take their numbers in the order in which they come.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "warpwise/array.hpp"

namespace warpwise::random {

// Of the mapping from states to numbers. Golden files hold each version's numbers.
inline constexpr int kStreamVersion = 1;

// M. E. O'Neill's seed sequence as NumPy has it: entropy of any length to words that differ in
// every bit for neighbouring seeds.
class WARPWISE_API SeedSequence {
  public:
    SeedSequence();  // entropy of the operating system
    // `entropy`: words, the lowest first; `pool_size`: words of the pool, at least 4.
    explicit SeedSequence(std::vector<std::uint32_t> entropy,
                          std::vector<std::uint32_t> spawn_key = {}, std::uint32_t pool_size = 4);
    static SeedSequence of(std::uint64_t seed);

    std::vector<std::uint32_t> generate_state(std::size_t words) const;
    // Children whose streams are independent of each other and of this one's; each call makes new
    // ones.
    std::vector<SeedSequence> spawn(std::size_t count);

    const std::vector<std::uint32_t>& entropy() const noexcept { return entropy_; }
    const std::vector<std::uint32_t>& spawn_key() const noexcept { return spawn_key_; }
    std::uint32_t pool_size() const noexcept { return pool_size_; }
    std::size_t children_spawned() const noexcept { return children_; }
    void set_children_spawned(std::size_t count) noexcept { children_ = count; }

  private:
    std::vector<std::uint32_t> entropy_;
    std::vector<std::uint32_t> spawn_key_;
    std::uint32_t pool_size_ = 4;
    std::size_t children_ = 0;
};

// Philox4x32-10: a key of 64 bits, and a counter of four words: a position of 64 bits, the attempt
// of a draw, and the number of jumps.
struct PhiloxState {
    std::uint64_t key = 0;
    std::uint64_t position = 0;  // blocks of four words that were handed out
    std::uint32_t jumps = 0;
    friend bool operator==(const PhiloxState&, const PhiloxState&) = default;
};

class WARPWISE_API Philox {
  public:
    Philox();  // of the operating system's entropy
    explicit Philox(const SeedSequence& seed);
    explicit Philox(const PhiloxState& state);

    PhiloxState state() const;
    void set_state(const PhiloxState& state);
    // The state `count` jumps on: a stream of 2^64 blocks that overlaps no other. It has no seed
    // sequence.
    Philox jumped(std::uint32_t count = 1) const;
    void advance(std::uint64_t blocks);
    // Null where the generator was made of a state.
    std::optional<SeedSequence> seed_sequence() const;
    // Throws ArgumentError where there is no seed sequence.
    std::vector<Philox> spawn(std::size_t count);
    // `words` words, as a call of that many elements of 32 bits would have them.
    std::vector<std::uint32_t> random_raw(std::size_t words);
    // Hands out the blocks of a call of `elements`; the state before.
    PhiloxState take(std::int64_t elements);

  private:
    struct Shared;
    std::shared_ptr<Shared> shared_;
};

// XORWOW of a seed: 16,384 subsequences of cuRAND's generator, 2^67 words apart, that advance
// together by blocks of four words; a jump is as many subsequences.
struct XORWOWState {
    std::uint64_t seed = 0;
    std::uint64_t position = 0;  // blocks that each subsequence has handed out, below 2^62
    std::uint64_t jumps = 0;     // below 2^50
    friend bool operator==(const XORWOWState&, const XORWOWState&) = default;
};

// George Marsaglia's generator, for those who want cuRAND's default. It keeps the states of its
// subsequences (384 KiB) on every device that it was used on. Philox is faster, and is never
// stored where it is fused.
//
// Errors: ArgumentError for states out of those bounds. Threading: as Philox.
class WARPWISE_API XORWOW {
  public:
    XORWOW();  // of the operating system's entropy
    explicit XORWOW(const SeedSequence& seed);
    explicit XORWOW(const XORWOWState& state);

    XORWOWState state() const;
    void set_state(const XORWOWState& state);
    // The state `count` jumps on, whose stream overlaps no other. It has no seed sequence.
    XORWOW jumped(std::uint64_t count = 1) const;
    void advance(std::uint64_t blocks);
    // Null where the generator was made of a state.
    std::optional<SeedSequence> seed_sequence() const;
    // Throws ArgumentError where there is no seed sequence.
    std::vector<XORWOW> spawn(std::size_t count);
    // `words` words, as a call of that many elements of 32 bits would have them.
    std::vector<std::uint32_t> random_raw(std::size_t words);
    // Hands out `blocks` blocks of each subsequence; the state before.
    XORWOWState take(std::uint64_t blocks);
    // For the library: the states of a call on a device.
    struct Shared;
    Shared& shared() const noexcept { return *shared_; }

  private:
    std::shared_ptr<Shared> shared_;
};

// Where a Generator's words come from.
using BitGenerator = std::variant<Philox, XORWOW>;

// What every distribution takes besides its parameters.
struct Sample {
    std::optional<Shape> shape = std::nullopt;  // unset: that of the parameters, or of `out`
    std::optional<DType> dtype = std::nullopt;
    // Unset: that of the parameters or of `out`, else the current one.
    std::optional<Device> device = std::nullopt;
    Array* out = nullptr;  // written in place and returned
};

class WARPWISE_API Generator {
  public:
    explicit Generator(BitGenerator bits) : bits_(std::move(bits)) {}
    BitGenerator& bit_generator() noexcept { return bits_; }
    const BitGenerator& bit_generator() const noexcept { return bits_; }
    std::vector<Generator> spawn(std::size_t count);

    // --- Uniform numbers, and integers.

    Array random(const Sample& sample = {});  // in [0, 1): multiples of 2^-53, or of 2^-24
    Array uniform(const Operand& low = 0.0, const Operand& high = 1.0, const Sample& sample = {});
    // In [low, high), or [low, high] with `endpoint`, without bias. Any integer dtype or bool;
    // default int64. Bounds that are arrays are evaluated, to check them.
    Array integers(const Operand& low, const Operand& high, const Sample& sample = {},
                   bool endpoint = false);
    std::vector<std::uint8_t> bytes(std::size_t count);

    // --- Continuous distributions.

    Array standard_normal(const Sample& sample = {});
    Array normal(const Operand& loc = 0.0, const Operand& scale = 1.0, const Sample& sample = {});
    Array lognormal(const Operand& mean = 0.0, const Operand& sigma = 1.0,
                    const Sample& sample = {});
    Array standard_exponential(const Sample& sample = {});
    Array exponential(const Operand& scale = 1.0, const Sample& sample = {});
    Array standard_gamma(const Operand& shape, const Sample& sample = {});
    Array gamma(const Operand& shape, const Operand& scale = 1.0, const Sample& sample = {});
    Array beta(const Operand& a, const Operand& b, const Sample& sample = {});
    Array chisquare(const Operand& df, const Sample& sample = {});
    Array noncentral_chisquare(const Operand& df, const Operand& nonc, const Sample& sample = {});
    Array f(const Operand& dfnum, const Operand& dfden, const Sample& sample = {});
    Array noncentral_f(const Operand& dfnum, const Operand& dfden, const Operand& nonc,
                       const Sample& sample = {});
    Array standard_t(const Operand& df, const Sample& sample = {});
    Array standard_cauchy(const Sample& sample = {});
    Array laplace(const Operand& loc = 0.0, const Operand& scale = 1.0, const Sample& sample = {});
    Array logistic(const Operand& loc = 0.0, const Operand& scale = 1.0, const Sample& sample = {});
    Array gumbel(const Operand& loc = 0.0, const Operand& scale = 1.0, const Sample& sample = {});
    Array rayleigh(const Operand& scale = 1.0, const Sample& sample = {});
    Array weibull(const Operand& a, const Sample& sample = {});
    Array pareto(const Operand& a, const Sample& sample = {});
    Array power(const Operand& a, const Sample& sample = {});
    Array vonmises(const Operand& mu, const Operand& kappa, const Sample& sample = {});
    Array wald(const Operand& mean, const Operand& scale, const Sample& sample = {});
    Array triangular(const Operand& left, const Operand& mode, const Operand& right,
                     const Sample& sample = {});

    // --- Discrete distributions: int64.

    Array poisson(const Operand& lam = 1.0, const Sample& sample = {});
    Array binomial(const Operand& n, const Operand& p, const Sample& sample = {});
    Array negative_binomial(const Operand& n, const Operand& p, const Sample& sample = {});
    Array geometric(const Operand& p, const Sample& sample = {});
    // How many of `ngood` and `nbad` elements (below 2^30) are good among `nsample` of them.
    Array hypergeometric(const Operand& ngood, const Operand& nbad, const Operand& nsample,
                         const Sample& sample = {});
    Array logseries(const Operand& p, const Sample& sample = {});
    Array zipf(const Operand& a, const Sample& sample = {});

    // --- Several numbers at once, along a last axis that is added to the shape.

    // How n trials fall among outcomes of these probabilities; of the last one what is left to 1.
    Array multinomial(const Operand& n, std::span<const double> pvals, const Sample& sample = {});
    Array dirichlet(std::span<const double> alpha, const Sample& sample = {});
    // `cov`: dim x dim numbers in C order, of which the lower triangle is factorised (Cholesky) on
    // the host. Throws ArgumentError where it is not positive semidefinite.
    Array multivariate_normal(std::span<const double> mean, std::span<const double> cov,
                              const Sample& sample = {});

    // --- Order.

    // `size` of the elements along `axis`, with or without replacement; uniformly, or with
    // probabilities `p` (an element each, which sum to 1). With `p` and without replacement the
    // keys are sorted on the host.
    Array choice(const Array& array, const Shape& size, bool replace = true,
                 std::span<const double> p = {}, int axis = 0);
    // Of 0, ..., count - 1.
    Array choice(std::int64_t count, const Shape& size, bool replace = true,
                 std::span<const double> p = {},
                 const std::optional<Device>& device = std::nullopt);
    // Of 0, ..., count - 1. Up to 4096 numbers every permutation is equally likely (Fisher and
    // Yates, on the host); more are the order of a keyed bijection, computed where it is read.
    Array permutation(std::int64_t count, const std::optional<Device>& device = std::nullopt);
    // A copy in random order along the axis; what lies side by side stays together.
    Array permutation(const Array& array, int axis = 0);
    void shuffle(Array& array, int axis = 0);

  private:
    BitGenerator bits_;
};

// Points that fill a cube evenly: Sobol's sequence, in the order of Gray codes (I. A. Antonov and
// V. M. Saleev, 1979), float64 in [0, 1). Who makes it brings the direction numbers, such as those
// of S. Joe and F. Y. Kuo.
class WARPWISE_API Sobol {
  public:
    // `directions`: for each dimension `bits` numbers (1 to 52), that of the highest bit first, as
    // integers below 2^bits. Throws ArgumentError.
    Sobol(std::span<const std::uint64_t> directions, std::int64_t dimensions, int bits,
          const std::optional<Device>& device = std::nullopt);
    // Multiplies the directions with random triangular matrices and adds a random shift (J.
    // Matousek, "On the L2-discrepancy for anchored boxes", 1998); goes back to the first point.
    void scramble(const SeedSequence& seed);

    // The next points, of shape (count, dimensions). Throws ArgumentError behind 2^bits points.
    Array random(std::int64_t count);
    void fast_forward(std::int64_t count);
    void reset() noexcept { index_ = 0; }
    std::int64_t index() const noexcept { return index_; }
    std::int64_t dimensions() const noexcept { return dimensions_; }
    int bits() const noexcept { return bits_; }

  private:
    void upload();

    std::vector<std::uint64_t> directions_;
    std::vector<std::uint64_t> shift_;
    std::int64_t dimensions_ = 0;
    int bits_ = 0;
    std::optional<Device> device_;
    Array table_;  // directions and shift on the device
    Array offsets_;
    std::int64_t index_ = 0;
};

// Generators of Philox.
WARPWISE_API Generator default_rng();  // of the operating system's entropy
WARPWISE_API Generator default_rng(std::uint64_t seed);
WARPWISE_API Generator default_rng(const SeedSequence& seed);

}  // namespace warpwise::random
