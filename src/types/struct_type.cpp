// Struct types: interning, layout by CUDA C++'s rules, and comparing a host's layout with a
// kernel's. Invariant: an interned description never changes and is never freed.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>

#include "src/base/hash.hpp"
#include "src/base/mutex.hpp"
#include "src/base/text.hpp"
#include "warpwise/dtype.hpp"
#include "warpwise/error.hpp"

namespace warpwise {
namespace {

[[noreturn]] void refuse(const StructType& type, const std::string& why) {
    throw ArgumentError(ArgumentError::Kind::Value,
                        fmt::format("struct {}: {}", quote(type.name), why));
}

// The bytes of a field with all its elements.
std::size_t check_field_alone(const StructType& type, const StructField& field) {
    if (field.dtype.kind() == Kind::Void) {
        refuse(type, fmt::format("field {} has no type", quote(field.name)));
    }
    if (field.count == 0) refuse(type, fmt::format("field {} has no elements", quote(field.name)));
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(field.dtype.size(), field.count, &bytes)) {
        refuse(type, fmt::format("field {} with {} elements is too large", quote(field.name),
                                 field.count));
    }
    return bytes;
}

void check_layout(const StructType& type) {
    if (!std::has_single_bit(type.alignment)) {
        refuse(type, fmt::format("its alignment {} is not a power of two", type.alignment));
    }
    std::vector<const StructField*> ordered;
    ordered.reserve(type.fields.size());
    for (const StructField& field : type.fields) ordered.push_back(&field);
    // Fields at one offset stay in their order: the addresses are ascending within the list.
    std::ranges::sort(ordered, {},
                      [](const StructField* field) { return std::pair(field->offset, field); });
    std::size_t end = 0;
    const StructField* previous = nullptr;
    for (const StructField* field : ordered) {
        const std::size_t bytes = check_field_alone(type, *field);
        if (field->offset < end) {
            refuse(type, fmt::format("fields {} and {} overlap at byte {}", quote(previous->name),
                                     quote(field->name), field->offset));
        }
        if (__builtin_add_overflow(field->offset, bytes, &end) || end > type.size) {
            refuse(type, fmt::format("field {} at byte {} leaves its size of {} bytes",
                                     quote(field->name), field->offset, type.size));
        }
        previous = field;
    }
}

class Interner {
  public:
    const StructType* intern(const StructType& type) {
        const std::uint64_t key = hash_of(type);
        MutexLock lock(mutex_);
        const auto [begin, end] = by_hash_.equal_range(key);
        for (auto it = begin; it != end; ++it) {
            if (same(*it->second, type)) return it->second;
        }
        const StructType* interned = &types_.emplace_back(type);
        by_hash_.emplace(key, interned);
        return interned;
    }

  private:
    static std::uint64_t hash_of(const StructType& type) {
        Hasher hasher;
        hasher.add(type.name).add(std::uint64_t{type.size}).add(std::uint64_t{type.alignment});
        for (const StructField& field : type.fields) {
            hasher.add(field.name).add(std::uint64_t{field.offset}).add(std::uint64_t{field.count});
            hasher.add(static_cast<std::uint64_t>(field.dtype.kind()));
        }
        return hasher.hash().low;
    }

    static bool same(const StructType& a, const StructType& b) {
        const auto same_field = [](const StructField& x, const StructField& y) {
            // Descriptions of nested structs are interned already: names count here.
            return x.name == y.name && x.offset == y.offset && x.count == y.count &&
                   x.dtype == y.dtype && x.dtype.fields() == y.dtype.fields();
        };
        return a.name == b.name && a.size == b.size && a.alignment == b.alignment &&
               std::ranges::equal(a.fields, b.fields, same_field);
    }

    Mutex mutex_;
    std::deque<StructType> types_ WARPWISE_GUARDED_BY(mutex_);
    std::unordered_multimap<std::uint64_t, const StructType*> by_hash_ WARPWISE_GUARDED_BY(mutex_);
};

Interner& interner() {
    // Never destroyed: DTypes in static objects keep pointing into it.
    static Interner* const instance = new Interner;
    return *instance;
}

// `count` elements of one scalar kind without gaps: float3[2], complex64[3], struct {float x, y;}.
struct Run {
    Kind kind;
    std::size_t count;
};

std::optional<Run> run_of(const DType& dtype, std::size_t count);

std::optional<Run> run_of_struct(const StructType& type) {
    std::optional<Run> whole;
    std::size_t end = 0;
    for (const StructField& field : type.fields) {
        const std::optional<Run> part = run_of(field.dtype, field.count);
        if (!part || field.offset != end || (whole && whole->kind != part->kind)) {
            return std::nullopt;
        }
        whole = Run{part->kind, (whole ? whole->count : 0) + part->count};
        end += field.dtype.size() * field.count;
    }
    return end == type.size ? whole : std::nullopt;
}

std::optional<Run> run_of(const DType& dtype, std::size_t count) {
    switch (dtype.kind()) {
        case Kind::Struct: {
            const std::optional<Run> element = run_of_struct(*dtype.fields());
            if (!element) return std::nullopt;
            return Run{element->kind, element->count * count};
        }
        case Kind::Complex64:
            return Run{Kind::Float32, 2 * count};
        case Kind::Complex128:
            return Run{Kind::Float64, 2 * count};
        default:
            return Run{dtype.kind(), static_cast<std::size_t>(dtype.lanes()) * count};
    }
}

// A host has no type for a device address: it passes the integer.
bool same_kind(Kind host, Kind device) {
    return host == device ||
           (device == Kind::Pointer && (host == Kind::UInt64 || host == Kind::Int64));
}

std::string spell(const StructField& field) {
    if (field.count == 1) return field.dtype.name();
    return fmt::format("{}[{}]", field.dtype.name(), field.count);
}

std::string difference_in(const StructType& host, const StructType& device,
                          const std::string& prefix);

// Empty when the two fields, known to begin at the same byte, hold the same.
std::string field_difference(const StructField& host, const StructField& device,
                             const std::string& path) {
    const std::optional<Run> host_run = run_of(host.dtype, host.count);
    const std::optional<Run> device_run = run_of(device.dtype, device.count);
    if (host_run && device_run && same_kind(host_run->kind, device_run->kind) &&
        host_run->count == device_run->count) {
        return {};
    }
    const bool both_structs =
        host.dtype.kind() == Kind::Struct && device.dtype.kind() == Kind::Struct;
    if (both_structs && host.count == device.count) {
        return difference_in(*host.dtype.fields(), *device.dtype.fields(), path + ".");
    }
    return fmt::format("field {} is {} on the host, but {} on the device", quote(path), spell(host),
                       spell(device));
}

std::string difference_in(const StructType& host, const StructType& device,
                          const std::string& prefix) {
    const std::size_t common = std::min(host.fields.size(), device.fields.size());
    for (std::size_t i = 0; i < common; ++i) {
        const StructField& ours = host.fields[i];
        const StructField& theirs = device.fields[i];
        const std::string path = prefix + (theirs.name.empty() ? ours.name : theirs.name);
        if (!theirs.name.empty() && ours.name != theirs.name) {
            return fmt::format("field {} is called {} on the host, but {} on the device", i + 1,
                               quote(prefix + ours.name), quote(path));
        }
        if (ours.offset != theirs.offset) {
            return fmt::format(
                "field {} begins at byte {} on the host, but at byte {} on the device; give the "
                "host's record the alignment of C",
                quote(path), ours.offset, theirs.offset);
        }
        std::string difference = field_difference(ours, theirs, path);
        if (!difference.empty()) return difference;
    }
    if (host.fields.size() < device.fields.size()) {
        return fmt::format("the host's record lacks field {}",
                           quote(prefix + device.fields[common].name));
    }
    if (host.fields.size() > device.fields.size()) {
        return fmt::format("the device's struct has no field {}",
                           quote(prefix + host.fields[common].name));
    }
    if (host.size != device.size) {
        return fmt::format(
            "{} is {} bytes on the host, but {} bytes on the device (padding at its end); give the "
            "host's record the alignment of C",
            prefix.empty() ? "the struct" : quote(prefix.substr(0, prefix.size() - 1)), host.size,
            device.size);
    }
    return {};
}

}  // namespace

DType DType::structure(const StructType& type) {
    check_layout(type);
    DType dtype(Kind::Struct);
    dtype.struct_ = interner().intern(type);
    return dtype;
}

StructType lay_out_struct(std::string name, std::vector<StructField> fields) {
    StructType type{std::move(name), std::move(fields), 0, 1};
    std::size_t end = 0;
    const auto round_up = [](std::size_t value, std::size_t alignment, std::size_t* rounded) {
        const bool overflows = __builtin_add_overflow(value, alignment - 1, rounded);
        *rounded &= ~(alignment - 1);
        return !overflows;
    };
    for (StructField& field : type.fields) {
        const std::size_t bytes = check_field_alone(type, field);
        const std::size_t alignment = field.dtype.alignment();
        if (!round_up(end, alignment, &field.offset) ||
            __builtin_add_overflow(field.offset, bytes, &end)) {
            refuse(type, fmt::format("field {} makes it too large", quote(field.name)));
        }
        type.alignment = std::max(type.alignment, alignment);
    }
    // C++: an empty struct has one byte.
    if (!round_up(std::max<std::size_t>(end, 1), type.alignment, &type.size)) {
        refuse(type, "it is too large");
    }
    return type;
}

std::string struct_difference(const StructType& host, const StructType& device) {
    return difference_in(host, device, "");
}

}  // namespace warpwise
