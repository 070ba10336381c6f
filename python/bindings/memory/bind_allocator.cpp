// Allocator and Allocation: memory in objects of a layer's own class; what an allocator makes is
// counted.
#include "python/bindings/memory/allocation.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/hot_call.hpp"
#include "python/bindings/interpreter/instances.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "python/bindings/interpreter/raise.hpp"
#include "python/bindings/interpreter/sizes.hpp"
#include "python/bindings/memory/exported_memory.hpp"
#include "warpwise/buffer.hpp"
#include "warpwise/device.hpp"
#include "warpwise/error.hpp"
#include "warpwise/pool.hpp"

namespace warpwise::python {
namespace {

class Allocation;

// What an allocator has made and Python still has. Its allocations share it. The list is for
// holders of the GIL.
class Living {
  public:
    explicit Living(Pool pool) : pool_(std::move(pool)) {}

    void add(Allocation& one);
    void remove(Allocation& one) noexcept;
    // Of those that are not freed.
    std::vector<std::size_t> sizes();

    bool is_holding() const noexcept { return is_holding_.load(std::memory_order_relaxed); }
    void stop_holding() {
        is_holding_.store(false, std::memory_order_relaxed);
        pool_.free_held();
    }
    // Memory was freed.
    void after_free() {
        if (!is_holding()) pool_.free_held();
    }

  private:
    Pool pool_;
    nb::ft_mutex mutex_;  // of Pythons without a GIL
    Allocation* first_ = nullptr;
    std::atomic<bool> is_holding_{true};
};

// The value of an instance of Python's; it stays where it was made.
class Allocation {
  public:
    // `living`: of the allocator that made it; null without one.
    explicit Allocation(Buffer buffer, std::shared_ptr<Living> living = nullptr)
        : buffer_(std::move(buffer)), living_(std::move(living)) {
        if (living_) living_->add(*this);
    }
    ~Allocation() {
        if (!living_) return;
        living_->remove(*this);
        if (!buffer_.is_freed() && !living_->is_holding()) give_back();
    }
    Allocation(const Allocation&) = delete;
    Allocation& operator=(const Allocation&) = delete;

    const Buffer& buffer() const noexcept { return buffer_; }
    void free() {
        refuse_while_viewed(buffer_);
        const GilRelease unlocked;
        buffer_.free();
        if (living_) living_->after_free();
    }

  private:
    friend class Living;

    // An error is reported as one of __del__() is.
    void give_back() noexcept {
        const nb::error_scope before;
        try {
            const GilRelease unlocked;
            buffer_ = Buffer();
            living_->after_free();
        } catch (...) {
            raise_current();
            PyErr_WriteUnraisable(nullptr);
        }
    }

    Buffer buffer_;
    std::shared_ptr<Living> living_;
    Allocation* previous_ = nullptr;
    Allocation* next_ = nullptr;
};

void Living::add(Allocation& one) {
    const nb::ft_lock_guard lock(mutex_);
    one.next_ = first_;
    if (first_ != nullptr) first_->previous_ = &one;
    first_ = &one;
}

void Living::remove(Allocation& one) noexcept {
    const nb::ft_lock_guard lock(mutex_);
    (one.previous_ != nullptr ? one.previous_->next_ : first_) = one.next_;
    if (one.next_ != nullptr) one.next_->previous_ = one.previous_;
}

std::vector<std::size_t> Living::sizes() {
    const nb::ft_lock_guard lock(mutex_);
    std::vector<std::size_t> found;
    for (const Allocation* one = first_; one != nullptr; one = one->next_) {
        if (!one->buffer_.is_freed()) found.push_back(one->buffer_.size());
    }
    return found;
}

nb::object new_allocation(nb::handle kind, Buffer buffer, std::shared_ptr<Living> living) {
    nb::object object = nb::inst_alloc(kind);
    if (!object.is_valid()) throw nb::python_error();
    new (nb::inst_ptr<void>(object)) Allocation(std::move(buffer), std::move(living));
    nb::inst_mark_ready(object);
    return object;
}

class Allocator {
  public:
    Allocator(nb::object kind, nb::object translate)
        : kind_(std::move(kind)),
          translate_(std::move(translate)),
          living_(std::make_shared<Living>(Device().pool())) {}

    // Of the current device, as mem_alloc().
    nb::object allocate(const Size& size) const {
        const std::size_t bytes = memory_size_of(size, "size");
        Buffer buffer;
        {
            const GilRelease unlocked;
            buffer = mem_alloc(bytes);
        }
        return made(std::move(buffer));
    }
    nb::object made(Buffer buffer) const {
        return new_allocation(kind_, std::move(buffer), living_);
    }
    // In a catch block: throws the error that the layer has in its place.
    [[noreturn]] void rethrow() const {
        if (translate_.is_none()) throw;
        raise_current();
        raise_translated(translate_);
        throw nb::python_error();
    }
    std::string name() const { return nb::cast<std::string>(kind_.attr("__name__")); }
    Living& living() const noexcept { return *living_; }

  private:
    nb::object kind_;
    nb::object translate_;
    std::shared_ptr<Living> living_;
};

// Memory that the pool has cached needs no wait, and so no release of the GIL.
PyObject* usual_allocate(const HotArguments& given) {
    if (given.count != 2 || given.named() != 0 || !PyLong_CheckExact(given.values[1]))
        return unusual();
    const Allocator* const self = exactly<Allocator>(given.values[0]);
    const std::size_t bytes = self == nullptr ? 0 : PyLong_AsSize_t(given.values[1]);
    if (bytes == 0 || bytes == static_cast<std::size_t>(-1)) {
        PyErr_Clear();
        return unusual();
    }
    Buffer kept;
    try {
        kept = mem_alloc_kept(bytes);
    } catch (const Error&) {
        return unusual();  // the bound function raises the layer's own
    }
    if (!kept.state()) return unusual();
    return self->made(std::move(kept)).release().ptr();
}

// The class of the last allocation, kept alive: most programs have one, and launches ask for each
// of their arguments.
std::atomic<PyTypeObject*> g_last_class = nullptr;

inline bool is_allocation_type(PyTypeObject* type) noexcept {
    if (type == g_last_class.load(std::memory_order_relaxed)) return true;
    if (PyType_IsSubtype(type, type_of<Allocation>()) == 0) return false;
    Py_INCREF(reinterpret_cast<PyObject*>(type));
    Py_XDECREF(reinterpret_cast<PyObject*>(g_last_class.exchange(type)));
    return true;
}

void check_kind(nb::handle kind) {
    if (is_allocation_class(kind)) return;
    throw ArgumentError(
        ArgumentError::Kind::Type,
        "Allocator expects a class derived from ww.Allocation for 'kind', got " + value_text(kind));
}

}  // namespace

[[gnu::hot]] const Buffer* buffer_of_allocation(nb::handle object) noexcept {
    if (!is_allocation_type(Py_TYPE(object.ptr()))) return nullptr;
    const auto* const allocation = static_cast<const Allocation*>(value_in(object));
    return allocation == nullptr ? nullptr : &allocation->buffer();
}

bool is_allocation_class(nb::handle object) noexcept {
    return is_class_of(object, type_of<Allocation>());
}

nb::object make_allocation(nb::handle kind, Buffer buffer) {
    return new_allocation(kind, std::move(buffer), nullptr);
}

void bind_allocator(nb::module_& module) {
    nb::class_<Allocation>(
        module, "Allocation",
        "Device memory in an object of a layer's own class, derived from this one. A launch takes "
        "it as its `buffer`, whose memory goes back with this object and what else shares it. An "
        "Allocator makes such objects without calling __init__().")
        .def(nb::init<Buffer>(), "buffer"_a)
        .def_prop_ro("buffer", &Allocation::buffer, nb::rv_policy::copy, "The memory, as a Buffer.")
        .def("free", &Allocation::free,
             "Releases the memory now, in stream order. Raises BufferError while an array or "
             "memoryview of it exists.")
        .def("__repr__", [](nb::handle_t<Allocation> self) {
            const std::string name = nb::cast<std::string>(self.type().attr("__name__"));
            const Buffer& buffer = nb::cast<const Allocation&>(self).buffer();
            return buffer.is_freed() ? name + "(freed)"
                                     : name + "(" + std::to_string(buffer.size()) + " bytes)";
        });
    nb::class_<Allocator> allocator(
        module, "Allocator",
        "For layers of another interface over Warpwise that have a class of their own for memory: "
        "allocates from the pool of the current device in objects of that class, without a frame "
        "of Python, and counts them.");
    allocator
        .def(
            "__init__",
            [](Allocator* self, nb::object kind, nb::object translate) {
                check_kind(kind);
                new (self) Allocator(std::move(kind), std::move(translate));
            },
            "kind"_a.none(), "translate"_a = nb::none(),
            nb::sig("def __init__(self, kind: type[Allocation], translate: "
                    "collections.abc.Callable[[typing.Any], BaseException] | None = None) -> None"),
            "`translate` gives the exception to raise in the place of one of ours.")
        .def(
            "allocate",
            [](const Allocator& self, const Size& size) {
                try {
                    return self.allocate(size);
                } catch (const Error&) {
                    self.rethrow();
                }
            },
            "size"_a, nb::sig("def allocate(self, size: int) -> typing.Any"),
            "A new object of its class, over `size` bytes. Raises OutOfMemoryError.")
        .def(
            "sizes", [](const Allocator& self) { return self.living().sizes(); },
            "The bytes of each object that is there and not freed.")
        .def(
            "stop_holding",
            [](const Allocator& self) {
                const GilRelease unlocked;
                self.living().stop_holding();
            },
            "From now on memory of it that is freed goes back to the device, with all that the "
            "pool has cached. Waits for what still uses it.")
        .def("__repr__", [](const Allocator& self) {
            return "Allocator(of " + self.name() + ", " +
                   std::to_string(self.living().sizes().size()) + " in use)";
        });
    HotCall<usual_allocate>::install(allocator.attr("allocate"));
}

}  // namespace warpwise::python
