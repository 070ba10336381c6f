// Runs along the last axis: within one, elements are one stride apart.
#include "src/codegen/interpret/addressing.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace warpwise::codegen::interpret {
namespace {

template <class T>
void gather_as(void* to, const std::byte* from, std::int64_t stride, std::int64_t count) {
    auto* const target = static_cast<T*>(to);
    for (std::int64_t i = 0; i < count; ++i) std::memcpy(target + i, from + i * stride, sizeof(T));
}

template <class T>
void gather_at_as(void* to, const std::byte* from, std::int64_t stride, const std::int64_t* offsets,
                  std::int64_t count) {
    auto* const target = static_cast<T*>(to);
    for (std::int64_t i = 0; i < count; ++i) {
        std::memcpy(target + i, from + i * stride + offsets[i], sizeof(T));
    }
}

template <class T>
void scatter_as(std::byte* to, std::int64_t stride, const void* from, std::int64_t count) {
    const auto* const source = static_cast<const T*>(from);
    for (std::int64_t i = 0; i < count; ++i) std::memcpy(to + i * stride, source + i, sizeof(T));
}

template <class T>
void scatter_at_as(std::byte* to, const std::int64_t* offsets, const void* from,
                   std::int64_t count) {
    const auto* const source = static_cast<const T*>(from);
    for (std::int64_t i = 0; i < count; ++i) std::memcpy(to + offsets[i], source + i, sizeof(T));
}

void gather_bools(void* to, const std::byte* from, std::int64_t stride, std::int64_t count) {
    auto* const target = static_cast<unsigned char*>(to);
    const auto is_true = [&](std::int64_t i) { return from[i * stride] != std::byte{0} ? 1 : 0; };
    if (stride == 0 && count > 0) {
        std::memset(target, is_true(0), static_cast<std::size_t>(count));
        return;
    }
    for (std::int64_t i = 0; i < count; ++i) target[i] = is_true(i);
}

// Coordinates of a point, and the next points.
class Walk {
  public:
    Walk(const Shape& extents, std::int64_t point) : extents_(extents) {
        for (int axis = extents.size() - 1; axis >= 0; --axis) {
            at_[axis] = point % extents[axis];
            point /= extents[axis];
        }
    }
    std::int64_t operator[](int axis) const noexcept { return at_[axis]; }
    void forward(std::int64_t along_last) noexcept {
        int axis = extents_.size() - 1;
        at_[axis] += along_last;
        for (; axis > 0 && at_[axis] >= extents_[axis]; --axis) {
            at_[axis] = 0;
            ++at_[axis - 1];
        }
    }

  private:
    const Shape& extents_;
    std::int64_t at_[kMaxRank] = {};
};

}  // namespace

// By copies that double: the compiler's own loop takes an element a turn without -O3.
void fill(void* to, const void* value, std::int64_t item, std::int64_t count) {
    auto* const bytes = static_cast<std::byte*>(to);
    const auto all = static_cast<std::size_t>(item * count);
    std::size_t done = std::min(static_cast<std::size_t>(item), all);
    std::memcpy(bytes, value, done);
    for (std::size_t more; done < all; done += more) {
        more = std::min(done, all - done);
        std::memcpy(bytes + done, bytes, more);
    }
}

void gather(Kind kind, void* to, const std::byte* from, std::int64_t stride, std::int64_t count) {
    const auto item = static_cast<std::int64_t>(DType(kind).size());
    if (kind == Kind::Bool) {
        gather_bools(to, from, stride, count);
    } else if (stride == item) {
        std::memcpy(to, from, static_cast<std::size_t>(count * item));
    } else if (stride == 0) {
        fill(to, from, item, count);
    } else if (item == 4) {
        gather_as<std::uint32_t>(to, from, stride, count);
    } else {
        gather_as<std::uint64_t>(to, from, stride, count);
    }
}

void scatter(Kind kind, std::byte* to, std::int64_t stride, const void* from, std::int64_t count) {
    const auto item = static_cast<std::int64_t>(DType(kind).size());
    if (stride == item) {
        std::memcpy(to, from, static_cast<std::size_t>(count * item));
    } else if (item == 1) {
        scatter_as<std::uint8_t>(to, stride, from, count);
    } else if (item == 4) {
        scatter_as<std::uint32_t>(to, stride, from, count);
    } else {
        scatter_as<std::uint64_t>(to, stride, from, count);
    }
}

void gather_at(Kind kind, void* to, const std::byte* from, std::int64_t stride,
               const std::int64_t* offsets, std::int64_t count) {
    switch (DType(kind).size()) {
        case 8:
            return gather_at_as<std::uint64_t>(to, from, stride, offsets, count);
        case 4:
            return gather_at_as<std::uint32_t>(to, from, stride, offsets, count);
        default:
            gather_at_as<std::uint8_t>(to, from, stride, offsets, count);
            gather_bools(to, static_cast<const std::byte*>(to), 1, count);
    }
}

void scatter_at(Kind kind, std::byte* to, const std::int64_t* offsets, const void* from,
                std::int64_t count) {
    switch (DType(kind).size()) {
        case 8:
            return scatter_at_as<std::uint64_t>(to, offsets, from, count);
        case 4:
            return scatter_at_as<std::uint32_t>(to, offsets, from, count);
        default:
            scatter_at_as<std::uint8_t>(to, offsets, from, count);
    }
}

Elements::Elements(const Operand& operand, const Place& place, const Shape& extents)
    : kind_(operand.kind),
      access_(operand.access),
      item_(static_cast<std::int64_t>(DType(operand.kind).size())),
      origin_(reinterpret_cast<std::byte*>(place.address)),
      extents_(&extents),
      strides_(&place.strides) {}

const std::byte* Elements::as_chunk(std::int64_t first) const noexcept {
    const bool is_chunk = access_ == Access::Linear && kind_ != Kind::Bool;
    return is_chunk ? origin_ + first * item_ : nullptr;
}

template <class Run>
void Elements::for_each_run(std::int64_t first, std::int64_t count, Run&& run) const {
    if (access_ == Access::Linear) return run(0, origin_ + first * item_, item_, count);
    if (access_ == Access::Broadcast) return run(0, origin_, std::int64_t{0}, count);
    const int last = extents_->size() - 1;
    Walk at(*extents_, first);
    for (std::int64_t done = 0; done < count;) {
        const std::int64_t length = std::min(count - done, (*extents_)[last] - at[last]);
        std::int64_t offset = 0;
        for (int axis = 0; axis <= last; ++axis) offset += at[axis] * (*strides_)[axis];
        run(done, origin_ + offset, (*strides_)[last], length);
        done += length;
        at.forward(length);
    }
}

void Elements::load(void* to, std::int64_t first, std::int64_t count) const {
    for_each_run(
        first, count,
        [&](std::int64_t done, const std::byte* from, std::int64_t stride, std::int64_t length) {
            gather(kind_, static_cast<std::byte*>(to) + done * item_, from, stride, length);
        });
}

void Elements::load_at(void* to, const std::int64_t* offsets, std::int64_t first,
                       std::int64_t count) const {
    for_each_run(
        first, count,
        [&](std::int64_t done, const std::byte* from, std::int64_t stride, std::int64_t length) {
            gather_at(kind_, static_cast<std::byte*>(to) + done * item_, from, stride,
                      offsets + done, length);
        });
}

namespace {

// The first of a launch is kept.
void report_index(std::uint64_t report, std::int64_t site, std::int64_t index) noexcept {
    auto* const words = reinterpret_cast<std::int64_t*>(report);
    const std::atomic_ref<std::uint32_t> state(*reinterpret_cast<std::uint32_t*>(report));
    std::uint32_t none = 0;
    if (!state.compare_exchange_strong(none, 1)) return;
    words[1] = site;
    words[2] = index;
    state.store(2, std::memory_order_release);
}

}  // namespace

void bound(std::int64_t* to, const std::int64_t* indices, const std::int64_t* extents,
           const std::int64_t* sites, std::uint64_t report, std::int64_t count) noexcept {
    const auto is_outside = [&](std::int64_t i) {
        return indices[i] < -extents[i] || indices[i] >= extents[i];
    };
    std::int64_t outside = 0;
    for (std::int64_t i = 0; i < count; ++i) outside += is_outside(i) ? 1 : 0;
    for (std::int64_t i = 0; outside > 0 && i < count; ++i) {
        if (is_outside(i)) report_index(report, sites[i], indices[i]);
    }
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t place = indices[i] < 0 ? indices[i] + extents[i] : indices[i];
        to[i] = std::clamp<std::int64_t>(place, 0, extents[i] - 1);
    }
}

void Elements::store(const void* from, std::int64_t first, std::int64_t count) const {
    for_each_run(first, count,
                 [&](std::int64_t done, std::byte* to, std::int64_t stride, std::int64_t length) {
                     scatter(kind_, to, stride, static_cast<const std::byte*>(from) + done * item_,
                             length);
                 });
}

std::int64_t Elements::outer_offset(std::int64_t outer, int inner_axes,
                                    std::int64_t inner_count) const noexcept {
    if (access_ == Access::Linear) return outer * inner_count * item_;
    if (access_ == Access::Broadcast) return 0;
    std::int64_t offset = 0;
    for (int axis = extents_->size() - inner_axes - 1; axis >= 0; --axis) {
        offset += outer % (*extents_)[axis] * (*strides_)[axis];
        outer /= (*extents_)[axis];
    }
    return offset;
}

std::int64_t Elements::inner_offset(std::int64_t inner, int inner_axes) const noexcept {
    if (access_ == Access::Linear) return inner * item_;
    if (access_ == Access::Broadcast) return 0;
    std::int64_t offset = 0;
    for (int axis = extents_->size() - 1; axis >= extents_->size() - inner_axes; --axis) {
        offset += inner % (*extents_)[axis] * (*strides_)[axis];
        inner /= (*extents_)[axis];
    }
    return offset;
}

void load_coordinates(std::int64_t* to, int axis, const Shape& extents, std::int64_t first,
                      std::int64_t count) {
    const int last = extents.size() - 1;
    Walk at(extents, first);
    for (std::int64_t done = 0; done < count;) {
        const std::int64_t length = std::min(count - done, extents[last] - at[last]);
        for (std::int64_t i = 0; i < length; ++i) to[done + i] = at[axis] + (axis == last ? i : 0);
        done += length;
        at.forward(length);
    }
}

}  // namespace warpwise::codegen::interpret
