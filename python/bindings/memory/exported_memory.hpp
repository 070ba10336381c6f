// Memory of the library as Python's buffer protocol exports it, and who holds such a view.
//
// Invariant: while a view of an allocation lives (a memoryview, a NumPy array over one, or an array
// named by count_view()), free() of that allocation raises BufferError. Views that the library
// itself holds until an asynchronous copy is done do not count: the copy's own use of the memory
// keeps it until then.
// Threading: everything here needs the GIL, or the lock inside on free-threaded Python.
#pragma once

#include <nanobind/nanobind.h>

#include "warpwise/buffer.hpp"

namespace warpwise::python {

namespace nb = nanobind;

// The slots bf_getbuffer and bf_releasebuffer of Buffer and of HostBuffer.
int export_buffer(PyObject* exporter, Py_buffer* view, int flags) noexcept;
int export_host_buffer(PyObject* exporter, Py_buffer* view, int flags) noexcept;
void release_export(PyObject* exporter, Py_buffer* view) noexcept;

// Counts `array`, which NumPy made over the memory of `exporter` (a HostBuffer) without holding an
// export of it, as a view for as long as it lives.
void count_view(nb::handle array, nb::handle exporter);

// Before `buffer` is freed. Throws BufferError while its memory is viewed.
void refuse_while_viewed(const Buffer& buffer);

}  // namespace warpwise::python
