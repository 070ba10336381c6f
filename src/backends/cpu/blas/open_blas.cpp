// Finding the library, and products cut into tiles.
//
// Invariant: tiles depend on the extents alone, so the bits do not depend on the threads.
#include "src/backends/cpu/blas/open_blas.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <complex>
#include <memory>
#include <string_view>
#include <utility>

#include "src/backends/cpu/launch/queue.hpp"
#include "src/base/mutex.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu {
namespace {

// CBLAS's constants.
constexpr int kRowMajor = 101;
constexpr int kAsIs = 111;
constexpr int kTransposed = 112;

// The functions of one library. Its integers have 64 bits or 32.
struct OpenBlas {
    std::string path;
    bool is_wide = false;
    void* products[4] = {};  // of float, double, and complex of both
    void (*set_threads)(int) = nullptr;
    int (*threads)() = nullptr;
};

// How builds of OpenBLAS spell cblas_sgemm.
struct Spelling {
    std::string_view prefix;
    std::string_view suffix;
    bool is_wide;
};
constexpr Spelling kSpellings[] = {
    {"scipy_", "64_", true}, {"", "64_", true}, {"scipy_", "", false}, {"", "", false}};

void* symbol(void* library, const Spelling& spelling, std::string_view name) {
    std::string text(spelling.prefix);
    text += name;
    text += spelling.suffix;
    return dlsym(library, text.c_str());
}

std::unique_ptr<OpenBlas> functions_of(void* library, std::string path) {
    for (const Spelling& spelling : kSpellings) {
        auto blas = std::make_unique<OpenBlas>();
        const std::string_view names[] = {"cblas_sgemm", "cblas_dgemm", "cblas_cgemm",
                                          "cblas_zgemm"};
        for (std::size_t i = 0; i < 4; ++i) blas->products[i] = symbol(library, spelling, names[i]);
        blas->set_threads =
            reinterpret_cast<void (*)(int)>(symbol(library, spelling, "openblas_set_num_threads"));
        blas->threads =
            reinterpret_cast<int (*)()>(symbol(library, spelling, "openblas_get_num_threads"));
        const bool is_whole = std::ranges::all_of(blas->products, [](auto* one) { return one; }) &&
                              blas->set_threads != nullptr && blas->threads != nullptr;
        if (!is_whole) continue;
        blas->path = std::move(path);
        blas->is_wide = spelling.is_wide;
        return blas;
    }
    return nullptr;
}

// The library that NumPy or SciPy has loaded.
std::string loaded_file() {
    std::string found;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* to) {
            const std::string_view path = info->dlpi_name;
            const std::string_view file = path.substr(path.rfind('/') + 1);
            if (file.find("openblas") == file.npos) return 0;
            *static_cast<std::string*>(to) = path;
            return 1;
        },
        &found);
    return found;
}

std::unique_ptr<OpenBlas> open_one(const std::string& path) {
    if (path.empty()) return nullptr;
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    return library != nullptr ? functions_of(library, path) : nullptr;
}

std::unique_ptr<OpenBlas> find_library() {
    for (const std::string& path :
         {loaded_file(), std::string("libscipy_openblas64_.so"), std::string("libopenblas64.so.0"),
          std::string("libopenblas.so.0")}) {
        if (auto blas = open_one(path)) return blas;
    }
    return nullptr;
}

// Never closed. Where there is none it is not looked for again.
const OpenBlas* open_blas() noexcept {
    static const OpenBlas* const found = find_library().release();
    return found;
}

// While one lives, the library starts no threads of its own.
class OneThread {
  public:
    explicit OneThread(const OpenBlas& blas) : blas_(blas) {
        MutexLock lock(g_mutex);
        if (g_users++ != 0) return;
        g_threads = blas_.threads();
        if (g_threads != 1) blas_.set_threads(1);
    }
    ~OneThread() {
        MutexLock lock(g_mutex);
        if (--g_users == 0 && g_threads != 1) blas_.set_threads(g_threads);
    }
    OneThread(const OneThread&) = delete;
    OneThread& operator=(const OneThread&) = delete;

  private:
    static inline Mutex g_mutex;
    static inline int g_users WARPWISE_GUARDED_BY(g_mutex) = 0;
    static inline int g_threads WARPWISE_GUARDED_BY(g_mutex) = 1;  // of the library, before
    const OpenBlas& blas_;
};

int number_of(Kind kind) noexcept {
    switch (kind) {
        case Kind::Float32:
            return 0;
        case Kind::Float64:
            return 1;
        case Kind::Complex64:
            return 2;
        case Kind::Complex128:
            return 3;
        default:
            return -1;
    }
}

struct Tile {
    std::int64_t row = 0;
    std::int64_t rows = 0;
    std::int64_t column = 0;
    std::int64_t columns = 0;
};

class ProductLoop final : public runtime::HostLoop {
  public:
    ProductLoop(const OpenBlas& blas, const runtime::MatrixProducts& products)
        : one_thread_(blas),
          blas_(blas),
          products_(products),
          cuts_rows_(products.rows >= products.columns),
          tile_(tile_length(products)) {
        const std::int64_t whole = cuts_rows_ ? products.rows : products.columns;
        tiles_ = static_cast<std::uint64_t>((whole + tile_ - 1) / tile_);
    }

    std::uint64_t pieces() const noexcept override { return tiles_ * products_.offsets.size(); }
    double forecast() const noexcept override {
        constexpr double kTime = 0.05;  // nanoseconds of a multiplication
        return kTime * static_cast<double>(products_.inner) * static_cast<double>(tile_) *
               static_cast<double>(cuts_rows_ ? products_.columns : products_.rows);
    }
    const char* name() const noexcept override { return "matrix_product"; }

    void run(std::uint64_t begin, std::uint64_t end) noexcept override {
        for (std::uint64_t piece = begin; piece < end; ++piece) {
            const auto first = static_cast<std::int64_t>(piece % tiles_) * tile_;
            Tile tile{0, products_.rows, 0, products_.columns};
            if (cuts_rows_) {
                tile.row = first;
                tile.rows = std::min(tile_, products_.rows - first);
            } else {
                tile.column = first;
                tile.columns = std::min(tile_, products_.columns - first);
            }
            multiply(tile, products_.offsets[piece / tiles_]);
        }
    }

  private:
    // Long enough that packing the other matrix again is little work beside the product.
    static std::int64_t tile_length(const runtime::MatrixProducts& products) {
        constexpr std::int64_t kLeast = 192;
        constexpr std::int64_t kMultiplications = std::int64_t{1} << 24;
        const std::int64_t others = std::min(products.rows, products.columns) * products.inner;
        const std::int64_t length = kMultiplications / std::max<std::int64_t>(others, 1);
        return std::max(kLeast, length / 64 * 64);
    }

    static const std::byte* place(const runtime::Matrix& matrix, std::int64_t offset,
                                  std::int64_t i, std::int64_t j, std::size_t item) {
        const std::int64_t index =
            matrix.is_transposed ? j * matrix.stride + i : i * matrix.stride + j;
        return reinterpret_cast<const std::byte*>(matrix.address) + offset +
               index * static_cast<std::int64_t>(item);
    }

    void multiply(const Tile& tile, const std::array<std::int64_t, 3>& offsets) const {
        const std::size_t item = DType(products_.kind).size();
        const std::byte* const a = place(products_.a, offsets[0], tile.row, 0, item);
        const std::byte* const b = place(products_.b, offsets[1], 0, tile.column, item);
        auto* const c =
            const_cast<std::byte*>(place(products_.c, offsets[2], tile.row, tile.column, item));
        switch (products_.kind) {
            case Kind::Float32:
                return call<float>(tile, a, b, c);
            case Kind::Float64:
                return call<double>(tile, a, b, c);
            case Kind::Complex64:
                return call_complex<float>(tile, a, b, c);
            default:
                return call_complex<double>(tile, a, b, c);
        }
    }

    template <class T>
    void call(const Tile& tile, const std::byte* a, const std::byte* b, std::byte* c) const {
        if (blas_.is_wide) return call_with<std::int64_t, T>(tile, a, b, c, T(1), T(0));
        call_with<int, T>(tile, a, b, c, T(1), T(0));
    }
    template <class T>
    void call_complex(const Tile& tile, const std::byte* a, const std::byte* b,
                      std::byte* c) const {
        const std::complex<T> one = 1;
        const std::complex<T> none = 0;
        const void* const alpha = &one;
        const void* const beta = &none;
        if (blas_.is_wide) return call_with<std::int64_t, const void*>(tile, a, b, c, alpha, beta);
        call_with<int, const void*>(tile, a, b, c, alpha, beta);
    }

    template <class Int, class Factor>
    void call_with(const Tile& tile, const std::byte* a, const std::byte* b, std::byte* c,
                   Factor alpha, Factor beta) const {
        using Function = void (*)(int, int, int, Int, Int, Int, Factor, const void*, Int,
                                  const void*, Int, Factor, void*, Int);
        const auto function = reinterpret_cast<Function>(blas_.products[number_of(products_.kind)]);
        function(kRowMajor, products_.a.is_transposed ? kTransposed : kAsIs,
                 products_.b.is_transposed ? kTransposed : kAsIs, static_cast<Int>(tile.rows),
                 static_cast<Int>(tile.columns), static_cast<Int>(products_.inner), alpha, a,
                 static_cast<Int>(products_.a.stride), b, static_cast<Int>(products_.b.stride),
                 beta, c, static_cast<Int>(products_.c.stride));
    }

    const OneThread one_thread_;
    const OpenBlas& blas_;
    const runtime::MatrixProducts products_;
    const bool cuts_rows_;
    const std::int64_t tile_;
    std::uint64_t tiles_ = 0;
};

bool fits_narrow(const runtime::MatrixProducts& products) {
    constexpr std::int64_t kMost = 0x7fffffff;
    return std::max({products.rows, products.columns, products.inner, products.a.stride,
                     products.b.stride, products.c.stride}) <= kMost;
}

}  // namespace

bool CpuBlas::has_products(Kind kind) noexcept {
    return number_of(kind) >= 0 && open_blas() != nullptr;
}

std::string CpuBlas::library() {
    const OpenBlas* const blas = open_blas();
    return blas != nullptr ? blas->path : std::string();
}

void CpuBlas::multiply(int, runtime::Queue& queue, const runtime::MatrixProducts& products,
                       runtime::DeviceAddress) {
    const OpenBlas& blas = *open_blas();
    if (!blas.is_wide && !fits_narrow(products)) {
        throw DeviceError("a product of matrices has extents of 2^31 or more, which " + blas.path +
                          " does not take; install scipy-openblas64, or multiply in parts");
    }
    constexpr std::int64_t kSmall = 32 * 32 * 32;
    const bool is_small = products.rows * products.columns <= kSmall &&
                          products.rows * products.columns * products.inner <= kSmall &&
                          products.offsets.size() == 1;
    auto loop = std::make_unique<ProductLoop>(blas, products);
    auto& on = static_cast<CpuQueue&>(queue);
    if (!is_small || !on.try_to_run(*loop)) on.run(std::move(loop));
}

}  // namespace warpwise::cpu
