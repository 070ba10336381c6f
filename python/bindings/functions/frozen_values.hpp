// The globals and attributes that a Python function was compiled with: whether they are what they
// were.
#pragma once

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
    struct Entry {
        nb::object holder;  // a dict, or what has the attribute
        nb::object name;
        nb::object value;
        bool is_dict;
    };

    std::vector<Entry> entries_;
};

void bind_frozen_values(nb::module_& module);

}  // namespace warpwise::python
