// How threads of the library enter Python: with the GIL, and no longer once the interpreter is
// about to shut down, when acquiring the GIL would end the thread or the process.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>

namespace warpwise::python {

// Holds the GIL while it lives, on any thread. False once Python must not be entered.
class PythonEntry {
  public:
    PythonEntry();
    ~PythonEntry();
    PythonEntry(const PythonEntry&) = delete;
    PythonEntry& operator=(const PythonEntry&) = delete;
    explicit operator bool() const noexcept { return gil_.has_value(); }

  private:
    std::optional<nanobind::gil_scoped_acquire> gil_;
};

// Keeps a Python object alive from C++; may be released on any thread. Null for None. Needs the
// GIL.
std::shared_ptr<const void> share(nanobind::handle owner);

// Refuses every later PythonEntry and waits, with the GIL released, for those that are open.
void close_interpreter();

}  // namespace warpwise::python
