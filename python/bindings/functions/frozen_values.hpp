// The globals and attributes that a Python function was compiled with: whether they are what they
// were.
#pragma once

#include <cstdint>
#include <vector>

#include "python/bindings/bindings.hpp"

namespace warpwise::python {

class FrozenValues {
  public:
    // Of (dict or object, name, value).
    explicit FrozenValues(const nb::list& entries);

    bool are_current() const;
    int traverse(visitproc visit, void* arg) const;
    void clear() noexcept;

  private:
    enum class Holder : std::uint8_t { kDict, kFunction, kObject };

    struct Entry {
        nb::object holder;  // a dict, a function with its code, or what has the attribute
        nb::object name;
        nb::object value;
        Holder kind;
    };

    static Holder kind_of(nb::handle holder, nb::handle name);
    static bool is_current(const Entry& one);

    std::vector<Entry> entries_;
};

void bind_frozen_values(nb::module_& module);

}  // namespace warpwise::python
