// The table of its functions, a handle a device, and products in C order through a library that
// uses Fortran's: c = a b is c' = b' a' there.
#include "src/backends/cuda/blas/cublas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <utility>

#include "src/backends/cuda/driver/libraries.hpp"
#include "src/backends/cuda/driver/library_search.hpp"
#include "src/backends/cuda/driver/primary_context.hpp"
#include "src/backends/cuda/stream/queue.hpp"
#include "src/base/log.hpp"
#include "src/base/mutex.hpp"
#include "src/base/text.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {
namespace {

// cuBLAS's own constants.
using Handle = struct CublasTag*;
using Result = int;              // 0: good
constexpr int kAsIs = 0;         // CUBLAS_OP_N
constexpr int kTransposed = 1;   // CUBLAS_OP_T
constexpr int kDefaultMath = 0;  // no TF32
constexpr int kDefaultAlgorithm = -1;
constexpr std::size_t kWorkspace = std::size_t{32} << 20;  // what cuBLAS advises for Hopper

struct Type {
    int data = 0;     // cudaDataType
    int compute = 0;  // cublasComputeType_t
};

Type type_of(Kind kind) {
    switch (kind) {
        case Kind::Float32:
            return {0, 68};
        case Kind::Float64:
            return {1, 70};
        case Kind::Complex64:
            return {4, 68};
        default:
            return {5, 70};
    }
}

struct Functions {
    Result (*cublasCreate_v2)(Handle*) = nullptr;
    Result (*cublasSetStream_v2)(Handle, void*) = nullptr;
    Result (*cublasSetWorkspace_v2)(Handle, void*, std::size_t) = nullptr;
    Result (*cublasSetMathMode)(Handle, int) = nullptr;
    Result (*cublasGemmStridedBatchedEx)(Handle, int, int, int, int, int, const void*, const void*,
                                         int, int, long long, const void*, int, int, long long,
                                         const void*, void*, int, int, long long, int, int,
                                         int) = nullptr;
    std::string path;

    const char* fill(void* library) {
        SymbolFinder find(library);
#define WARPWISE_CUBLAS(name) find(name, #name)
        WARPWISE_CUBLAS(cublasCreate_v2);
        WARPWISE_CUBLAS(cublasSetStream_v2);
        WARPWISE_CUBLAS(cublasSetWorkspace_v2);
        WARPWISE_CUBLAS(cublasSetMathMode);
        WARPWISE_CUBLAS(cublasGemmStridedBatchedEx);
#undef WARPWISE_CUBLAS
        return find.missing();
    }
};

std::unique_ptr<Functions> open_cublas() noexcept {
    try {
        const OpenedLibrary opened = open_library(Library::Cublas);
        auto functions = std::make_unique<Functions>();
        const char* const missing = functions->fill(opened.handle);
        functions->path = opened.path;
        if (missing == nullptr) return functions;
        log::info("{} is no cuBLAS that can be used: it has no {}", quote(opened.path), missing);
    } catch (const std::exception& error) {
        log::info("products of matrices are computed without cuBLAS: {}", error.what());
    }
    return nullptr;
}

// Where there is none it is not looked for again.
const Functions* functions() noexcept {
    static const Functions* const found = open_cublas().release();
    return found;
}

void check(Result result, const char* doing) {
    if (result == 0) return;
    throw DeviceError(fmt::format("cannot {}: cuBLAS fails with status {}", doing, result));
}

// One step between consecutive products of each matrix; false where they have none.
bool find_steps(const runtime::MatrixProducts& products, std::array<std::int64_t, 3>& steps) {
    const auto& offsets = products.offsets;
    steps = {};
    if (offsets.size() < 2) return true;
    for (std::size_t k = 0; k < 3; ++k) {
        steps[k] = offsets[1][k] - offsets[0][k];
        for (std::size_t i = 2; i < offsets.size(); ++i) {
            if (offsets[i][k] - offsets[i - 1][k] != steps[k]) return false;
        }
    }
    return true;
}

}  // namespace

// The handle of one device; never destroyed, as the driver may be unloaded before.
class CudaBlas::Device {
  public:
    explicit Device(DeviceState& state) : state_(state) {}

    void multiply(CudaQueue& queue, const runtime::MatrixProducts& products,
                  runtime::DeviceAddress workspace) {
        const PrimaryContext::Scope scope(state_.context());
        MutexLock lock(mutex_);
        const Functions& cublas = *functions();
        if (handle_ == nullptr) {
            check(cublas.cublasCreate_v2(&handle_), "begin with cuBLAS");
            check(cublas.cublasSetMathMode(handle_, kDefaultMath), "choose cuBLAS's precision");
        }
        check(cublas.cublasSetStream_v2(handle_, queue.stream()), "give cuBLAS a stream");
        check(cublas.cublasSetWorkspace_v2(handle_, reinterpret_cast<void*>(workspace),
                                           workspace != 0 ? kWorkspace : 0),
              "give cuBLAS memory");
        std::array<std::int64_t, 3> steps{};
        if (find_steps(products, steps)) {
            return call(products, products.offsets[0], steps, products.offsets.size());
        }
        for (const auto& offsets : products.offsets) call(products, offsets, {}, 1);
    }

  private:
    void call(const runtime::MatrixProducts& p, const std::array<std::int64_t, 3>& offsets,
              const std::array<std::int64_t, 3>& steps, std::size_t count)
        WARPWISE_REQUIRES(mutex_) {
        const Type type = type_of(p.kind);
        const auto item = static_cast<std::int64_t>(DType(p.kind).size());
        const bool is_single = p.kind == Kind::Float32 || p.kind == Kind::Complex64;
        const std::complex<float> single[] = {1, 0};
        const std::complex<double> wide[] = {1, 0};
        const void* const one = is_single ? static_cast<const void*>(&single[0]) : &wide[0];
        const void* const none = is_single ? static_cast<const void*>(&single[1]) : &wide[1];
        const auto at = [](const runtime::Matrix& matrix, std::int64_t offset) {
            return reinterpret_cast<void*>(matrix.address + static_cast<std::uint64_t>(offset));
        };
        check(functions()->cublasGemmStridedBatchedEx(
                  handle_, p.b.is_transposed ? kTransposed : kAsIs,
                  p.a.is_transposed ? kTransposed : kAsIs, static_cast<int>(p.columns),
                  static_cast<int>(p.rows), static_cast<int>(p.inner), one, at(p.b, offsets[1]),
                  type.data, static_cast<int>(p.b.stride), steps[1] / item, at(p.a, offsets[0]),
                  type.data, static_cast<int>(p.a.stride), steps[0] / item, none,
                  at(p.c, offsets[2]), type.data, static_cast<int>(p.c.stride), steps[2] / item,
                  static_cast<int>(count), type.compute, kDefaultAlgorithm),
              "multiply matrices");
    }

    DeviceState& state_;
    Mutex mutex_;
    Handle handle_ WARPWISE_GUARDED_BY(mutex_) = nullptr;
};

CudaBlas::CudaBlas(const std::vector<DeviceState*>& devices) {
    for (DeviceState* state : devices) devices_.push_back(std::make_unique<Device>(*state));
}

CudaBlas::~CudaBlas() = default;

bool CudaBlas::has_products(Kind kind) noexcept {
    const bool is_known = kind == Kind::Float32 || kind == Kind::Float64 ||
                          kind == Kind::Complex64 || kind == Kind::Complex128;
    return is_known && functions() != nullptr;
}

std::string CudaBlas::library() {
    return functions() != nullptr ? functions()->path : std::string();
}

std::size_t CudaBlas::workspace_bytes(int) noexcept {
    return kWorkspace;
}

void CudaBlas::multiply(int ordinal, runtime::Queue& queue, const runtime::MatrixProducts& products,
                        runtime::DeviceAddress workspace) {
    constexpr std::int64_t kMost = 0x7fffffff;
    if (std::max({products.rows, products.columns, products.inner, products.a.stride,
                  products.b.stride, products.c.stride}) > kMost) {
        throw DeviceError(
            "a product of matrices has extents of 2^31 or more, which cuBLAS does not take; "
            "multiply in parts");
    }
    devices_[static_cast<std::size_t>(ordinal)]->multiply(static_cast<CudaQueue&>(queue), products,
                                                          workspace);
}

}  // namespace warpwise::cuda
