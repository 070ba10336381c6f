"""The C++ core of Warpwise. Use it through the package warpwise."""

from builtins import slice as Slice
from collections.abc import Callable, Iterator, Mapping, Sequence
import os
from typing import Any, Literal, NoReturn, overload


def version() -> str:
    """The version of the loaded library."""

def value_text(value: object | None) -> str:
    """A value as error messages show it."""

class SettingRow:
    """An environment variable that Warpwise reads."""

    def __init__(self, no: NoReturn, /) -> None: ...

    @property
    def variable(self) -> str: ...

    @property
    def value(self) -> str: ...

    @property
    def is_set(self) -> bool:
        """Whether the user set it."""

    @property
    def meaning(self) -> str: ...

    def __repr__(self) -> str: ...

def setting_rows() -> list[SettingRow]:
    """Every setting, its current value and its meaning."""

class CacheInfo:
    """The disk cache of compiled programs."""

    def __init__(self, no: NoReturn, /) -> None: ...

    @property
    def folder(self) -> str: ...

    @property
    def usable(self) -> bool:
        """False: programs are always compiled."""

    @property
    def reason(self) -> str:
        """Why it is not usable."""

    @property
    def entries(self) -> int: ...

    @property
    def bytes(self) -> int: ...

    @property
    def limit(self) -> int:
        """Bytes."""

    @property
    def hits(self) -> int:
        """Of this process."""

    @property
    def misses(self) -> int:
        """Of this process."""

    def __repr__(self) -> str: ...

class CacheFolder:
    """
    Keeps the programs that the thread compiles in a `with` statement in another folder.

    Parameters
    ----------
    folder : str, os.PathLike or None
        None: they are compiled each time and kept nowhere.

    Code that the CPU device optimises in the background is kept in the usual folder. A
    folder that cannot be used is as good as None.
    """

    def __init__(self, folder: str | os.PathLike[str] | None) -> None: ...

    def __enter__(self) -> CacheFolder: ...

    def __repr__(self) -> str: ...

    def __exit__(self, *args: object) -> None: ...

def cache_info() -> CacheInfo:
    """The state of the disk cache."""

def cache_clear() -> int:
    """Empties the disk cache; returns the number of bytes freed."""

class DeviceInfo:
    """What a device is and what it can do."""

    def __init__(self, no: NoReturn, /) -> None: ...

    @property
    def name(self) -> str:
        """The processor's own name."""

    @property
    def architecture(self) -> str:
        """What programs are compiled for."""

    @property
    def multiprocessors(self) -> int: ...

    @property
    def clock_khz(self) -> int:
        """0 where unknown."""

    @property
    def total_memory(self) -> int:
        """Bytes that can be allocated."""

    @property
    def l2_cache_bytes(self) -> int:
        """0 where unknown."""

    @property
    def memory_clock_khz(self) -> int:
        """0 where unknown."""

    @property
    def memory_bus_bits(self) -> int:
        """0 where unknown."""

    @property
    def max_threads_per_multiprocessor(self) -> int:
        """0 where unknown."""

    @property
    def max_blocks_per_multiprocessor(self) -> int:
        """0 where unknown."""

    @property
    def shared_bytes_per_multiprocessor(self) -> int:
        """0 where unknown."""

    @property
    def registers_per_multiprocessor(self) -> int:
        """0 where unknown."""

    @property
    def max_cluster_blocks(self) -> int:
        """Blocks of a thread block cluster; 0 where there are no clusters."""

    @property
    def executes_kernels(self) -> bool: ...

    @property
    def survives_faults(self) -> bool:
        """
        Whether it works after a kernel's fault; a GPU is lost to the process then.
        """

    @property
    def shares_host_memory(self) -> bool: ...

    @property
    def compute_capability(self) -> tuple[int, int]: ...

    @property
    def max_threads_per_block(self) -> int: ...

    @property
    def max_block_dim(self) -> tuple[int, int, int]: ...

    @property
    def max_grid_dim(self) -> tuple[int, int, int]: ...

    @property
    def max_shared_bytes_per_block(self) -> int: ...

    @property
    def warp_size(self) -> int: ...

    def __repr__(self) -> str: ...

class MemoryInfo:
    """A device's memory, in bytes."""

    def __init__(self, no: NoReturn, /) -> None: ...

    @property
    def free(self) -> int:
        """Bytes that can still be allocated."""

    @property
    def total(self) -> int: ...

    def __repr__(self) -> str: ...

class Device:
    """
    A processor that runs kernels. `with device:` makes it current for this thread; Device() is the current one.
    """

    @overload
    def __init__(self) -> None: ...

    @overload
    def __init__(self, name: str) -> None:
        """By name: "cpu", "cuda", "cuda:1"."""

    def __reduce__(self) -> tuple[Any, ...]: ...

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> str: ...

    @property
    def ordinal(self) -> int: ...

    @property
    def info(self) -> DeviceInfo: ...

    def attribute(self, name: str) -> int:
        """By CUDA's name in lower case: "max_shared_memory_per_block_optin"."""

    @property
    def attributes(self) -> dict[str, int]:
        """All attributes of the device, by CUDA's names in lower case."""

    def memory(self) -> MemoryInfo:
        """Free and total memory."""

    @property
    def pool(self) -> Pool:
        """Its memory pool."""

    @property
    def host_pool(self) -> Pool:
        """The pool of page-locked memory for this device."""

    @property
    def default_stream(self) -> Stream: ...

    @property
    def stream_priorities(self) -> tuple[int, int]:
        """
        Of streams: the lowest and the highest priority, which is the lower number; (0, 0) where they are ignored.
        """

    def prepare(self) -> None:
        """
        Begins, in the background, what the first kernel needs: loading the compiler and, on a GPU, making the context, a tenth of a second each. Returns at once; a failure is reported by the call that meets it.
        """

    def synchronize(self) -> None:
        """
        Waits for all work of the device; raises the first error of its launches, once. Those of other streams are reported on stderr.
        """

    def can_access_peer(self, peer: Device) -> bool:
        """
        Whether kernels of this device can be given access to memory of another.
        """

    def enable_peer_access(self, peer: Device) -> None:
        """
        Lets kernels of this device use memory of `peer`, by address (ww.Pointer), and makes copies between the two direct.
        """

    def disable_peer_access(self, peer: Device) -> None:
        """Waits for the device, then disables the access."""

    def __enter__(self) -> Device: ...

    def __exit__(self, *args: object) -> None: ...

    def __eq__(self, arg: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

def devices() -> list[Device]:
    """Every device of this machine, GPUs first, then the CPU."""

class PoolStatistics:
    """A snapshot of a pool's statistics."""

    def __init__(self, no: NoReturn, /) -> None: ...

    @property
    def held_bytes(self) -> int:
        """Allocated from the device, in use or cached."""

    @property
    def active_bytes(self) -> int:
        """In use, each allocation rounded up to its block."""

    @property
    def peak_bytes(self) -> int:
        """The most that was in use since the start or reset_peak()."""

    @property
    def held_blocks(self) -> int:
        """Pieces, in use or cached."""

    @property
    def active_blocks(self) -> int:
        """Pieces in use."""

    @property
    def segments(self) -> int:
        """
        Allocations of the device that contain the pieces; in reserved addresses every chunk is one.
        """

    @property
    def largest_free_bytes(self) -> int:
        """The largest cached piece."""

    def __repr__(self) -> str: ...

class Pool:
    """A device's memory pool: freed blocks are cached and reused."""

    def __init__(self, no: NoReturn, /) -> None: ...

    @property
    def held_bytes(self) -> int:
        """Allocated from the device, in use or cached."""

    @property
    def active_bytes(self) -> int:
        """In use."""

    @property
    def held_blocks(self) -> int: ...

    @property
    def active_blocks(self) -> int: ...

    @property
    def limit(self) -> int | None:
        """At most this many bytes are held; None: no limit."""

    @limit.setter
    def limit(self, limit: int | None, /) -> None: ...

    @property
    def growth(self) -> Literal['segments', 'reserved']:
        """
        How it grows from now on: 'segments', by the driver's allocations; or 'reserved', in reserved addresses with memory mapped in chunks, so that free memory serves a request of any size, but on GPUs cannot be shared by ipc_handle(). The default is WARPWISE_POOL.
        """

    @growth.setter
    def growth(self, growth: Literal['segments', 'reserved'], /) -> None: ...

    def statistics(self) -> PoolStatistics:
        """A snapshot of all statistics."""

    def reset_peak(self) -> None:
        """statistics().peak_bytes counts from now on."""

    def report(self) -> str:
        """
        A readable report: live allocations by size, largest first, and what is kept.
        """

    def free_held(self) -> None:
        """Returns cached blocks to the device."""

    def __repr__(self) -> str: ...

class Allocation:
    """
    Device memory in an object of a layer's own class, derived from this one. A launch takes it as its `buffer`, whose memory goes back with this object and what else shares it. An Allocator makes such objects without calling __init__().
    """

    def __init__(self, buffer: Buffer) -> None: ...

    @property
    def buffer(self) -> Buffer:
        """The memory, as a Buffer."""

    def free(self) -> None:
        """
        Releases the memory now, in stream order. Raises BufferError while an array or memoryview of it exists.
        """

    def __repr__(self) -> str: ...

class Allocator:
    """
    For layers of another interface over Warpwise that have a class of their own for memory: allocates from the pool of the current device in objects of that class, without a frame of Python, and counts them.
    """

    def __init__(self, kind: type[Allocation], translate: Callable[[Any], BaseException] | None = None) -> None:
        """`translate` gives the exception to raise in the place of one of ours."""

    def allocate(self, size: int) -> Any:
        """A new object of its class, over `size` bytes. Raises OutOfMemoryError."""

    def sizes(self) -> list[int]:
        """The bytes of each object that is there and not freed."""

    def stop_holding(self) -> None:
        """
        From now on memory of it that is freed goes back to the device, with all that the pool has cached. Waits for what still uses it.
        """

    def __repr__(self) -> str: ...

class Stream:
    """
    A queue of device work, run in order. `with stream:` makes it current for this thread.
    """

    def __init__(self, source: Stream | Any | None = None, *, priority: int = 0, non_blocking: bool = False, time_limit: float | None = None, device: Device | None = None) -> None:
        """
        A new stream, whose kernels may run for `time_limit` seconds each (0: without end; default: WARPWISE_TIME_LIMIT); or, for an object with __cuda_stream__, the stream that it represents, which must be of the current device.
        """

    @staticmethod
    def current() -> Stream:
        """The current stream of this thread."""

    @staticmethod
    def per_thread(device: Device | None = None) -> Stream:
        """This thread's own stream of a device (default: the current one)."""

    @staticmethod
    def from_handle(handle: int, device: Device | None = None, owner: object = None) -> Stream:
        """
        A stream created by another library, by its handle (cudaStream_t). It must outlive its use here; `owner` is kept alive until then.
        """

    @property
    def handle(self) -> int:
        """Its handle for other libraries (cudaStream_t); GPUs only."""

    def __cuda_stream__(self) -> tuple[int, int]:
        """For other libraries: the version of this protocol and the handle."""

    def synchronize(self) -> None:
        """Waits for the work so far; raises its errors."""

    def is_done(self) -> bool:
        """Whether the work so far has ended; raises its errors."""

    def wait(self, event: Event) -> None:
        """
        Later work of this stream waits for the event; the caller does not. For an event recorded in an open capture, this stream joins that capture: its work until the capture ends is recorded too, concurrent with that of the others.
        """

    def record(self) -> Event:
        """A new event after the work so far."""

    def call_host(self, function: Callable[[], object]) -> None:
        """
        Calls `function()` after the work so far, on a thread of the library. It must not use the same device: what would wait for it there raises ArgumentError.
        """

    def capture(self) -> Capture:
        """
        `with stream.capture() as graph:` records work instead of running it. Streams that wait for events recorded in the block join it, and must be joined at its end.
        """

    def is_capturing(self) -> bool:
        """Also True when it joined a capture."""

    @property
    def is_default(self) -> bool: ...

    @property
    def device(self) -> Device: ...

    def __enter__(self) -> Stream: ...

    def __exit__(self, *args: object) -> None: ...

    def __eq__(self, arg: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

class Event:
    """A point in a stream's work, with its time."""

    def __init__(self, *, timing: bool = True, interprocess: bool = False, device: Device | None = None) -> None:
        """
        With interprocess=True it may be used by other processes, and has no timing.
        """

    @staticmethod
    def from_ipc_handle(handle: bytes) -> Event:
        """An event of another process, by its ipc_handle()."""

    def ipc_handle(self) -> bytes:
        """
        Bytes that identify this event in another process of the machine, while it exists. GPUs only.
        """

    def record(self, stream: Stream | Any = None) -> Event:
        """
        Records it after the stream's work so far (default: the current stream).
        """

    def is_done(self) -> bool:
        """Also True when never recorded."""

    def is_captured(self) -> bool:
        """Whether its latest record is in a capture that has not ended."""

    def synchronize(self) -> None:
        """Waits for it."""

    def time_till(self, end: Event) -> float:
        """Milliseconds from this event to `end`."""

    def time_since(self, start: Event) -> float:
        """Milliseconds from `start` to this."""

    @property
    def device(self) -> Device: ...

    def __repr__(self) -> str: ...

class GraphKernel:
    """
    A launch of a kernel in a graph. A change affects later launches of the graph; earlier ones, finished or not, are unchanged.
    """

    def __init__(self, no: NoReturn, /) -> None: ...

    @property
    def name(self) -> str: ...

    @property
    def signature(self) -> KernelSignature: ...

    @property
    def grid(self) -> tuple[int, int, int]: ...

    @property
    def block(self) -> tuple[int, int, int]: ...

    @property
    def shared(self) -> int:
        """Bytes of dynamic shared memory."""

    @property
    def cooperative(self) -> bool: ...

    def set_arguments(self, *args: Any) -> None:
        """
        Sets all of its arguments, checked as at a launch. Changes nothing if it raises ArgumentError.
        """

    def set_config(self, *, grid: int | Sequence[int] | None = None, block: int | Sequence[int] | None = None, shared: int | None = None) -> None:
        """
        Sets another grid, block or amount of shared memory; None leaves a value.
        """

    def __repr__(self) -> str: ...

class Graph:
    """
    A captured sequence of device work. A GPU instantiates it at the first launch and starts it with one call.
    """

    def __init__(self, no: NoReturn, /) -> None: ...

    def launch(self, stream: Stream | Any | None = None) -> None:
        """Runs it on a stream (default: the current one)."""

    @property
    def kernels(self) -> list[GraphKernel]:
        """
        The launches of kernels in it, in the order they were recorded; their arguments can be changed.
        """

    def __len__(self) -> int: ...

    def __repr__(self) -> str: ...

class Capture:
    """The block in which a stream's work is recorded."""

    def __init__(self, no: NoReturn, /) -> None: ...

    def __repr__(self) -> str: ...

    def __enter__(self) -> Graph: ...

    def __exit__(self, type: object, value: object, traceback: object) -> None: ...

class Buffer:
    """
    Device memory without a type. int(buffer) is its address; buffer[a:b] are its bytes from a to b, in the same memory. Where the host reaches it, as on the CPU device, it exports its bytes: numpy.frombuffer(buffer, dtype) is an array over them.
    """

    def __init__(self, no: NoReturn, /) -> None: ...

    @property
    def size(self) -> int:
        """Bytes."""

    @property
    def nbytes(self) -> int:
        """Bytes."""

    @property
    def address(self) -> int: ...

    @property
    def device(self) -> Device: ...

    @property
    def is_freed(self) -> bool: ...

    def free(self) -> None:
        """
        Releases the memory now, in stream order. Raises BufferError while an array or memoryview of it exists.
        """

    @overload
    def copy_from(self, source: Buffer, nbytes: int | None = None, offset: int = 0, source_offset: int = 0, stream: Stream | Any | None = None) -> None:
        """Copies from another buffer, in stream order."""

    @overload
    def copy_from(self, host: object, offset: int = 0, stream: Stream | Any | None = None) -> None:
        """Copies a contiguous host array here. Blocks, unless a stream is given."""

    def copy_to(self, host: object, offset: int = 0, stream: Stream | Any | None = None) -> None:
        """
        Copies from here into a contiguous host array. Blocks, unless a stream is given.
        """

    def fill(self, value: object, dtype: object = 'uint8', count: int | None = None, offset: int = 0, stream: Stream | Any | None = None) -> None:
        """
        Writes `count` values of a 1-, 2-, 4- or 8-byte dtype from byte `offset` on (default: to the end).
        """

    def slice(self, offset: int, nbytes: int) -> Buffer:
        """A part of this buffer that shares its memory."""

    def ipc_handle(self) -> bytes:
        """
        Bytes that identify this memory in another process of the machine: see open_ipc_memory(). The buffer must outlive its use there.
        """

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """As bytes, for CuPy, Numba and PyTorch. GPUs only."""

    def __int__(self) -> int: ...

    def __index__(self) -> int: ...

    def __len__(self) -> int: ...

    def __buffer__(self, flags: int, /) -> memoryview: ...

    def __getitem__(self, bytes: Slice) -> Buffer:
        """The bytes from `start` to `stop`, as a Buffer that shares the memory."""

    def __array__(self, dtype: Any = None, *, copy: bool | None = None) -> Any:
        """
        For memory that the host does not reach, which NumPy cannot view: raises.
        """

    def __bool__(self) -> bool: ...

    def __repr__(self) -> str: ...

def mem_alloc(nbytes: int, stream: Stream | Any | None = None) -> Buffer:
    """Memory from the current device's pool."""

def to_device(array: object, stream: Stream | Any | None = None) -> Buffer:
    """
    A new Buffer of the current device with a copy of a contiguous host array. Blocks, unless a stream is given.
    """

def mem_alloc_unpooled(nbytes: int, device: Device) -> Buffer:
    """Memory directly from a device, bypassing its pool."""

def wrap_memory(address: int, nbytes: int, device: Device | None = None, owner: object = None) -> Buffer:
    """A Buffer over device memory that `owner` owns; it keeps `owner` alive."""

def open_ipc_memory(handle: bytes) -> Buffer:
    """Memory of another process, by its Buffer.ipc_handle()."""

def copy_address(destination: int, source: int, nbytes: int, stream: Stream | Any | None = None) -> None:
    """Copies between raw device addresses, in stream order."""

class Array:
    """
    An array on a device. Operations are recorded and computed, fused, when their values are needed.
    """

    __hash__: None  # type: ignore[assignment]

    def __lt__(self, other: Array | complex, /) -> Array: ...

    def __le__(self, other: Array | complex, /) -> Array: ...

    def __eq__(self, other: object, /) -> Array: ...  # type: ignore[override]

    def __ne__(self, other: object, /) -> Array: ...  # type: ignore[override]

    def __gt__(self, other: Array | complex, /) -> Array: ...

    def __ge__(self, other: Array | complex, /) -> Array: ...

    def __init__(self, array: Array) -> None:
        """
        Another object for the same array: what classes derived from it start from.
        """

    def __add__(self, other: Array | complex, /) -> Array: ...

    def __radd__(self, other: Array | complex, /) -> Array: ...

    def __sub__(self, other: Array | complex, /) -> Array: ...

    def __rsub__(self, other: Array | complex, /) -> Array: ...

    def __mul__(self, other: Array | complex, /) -> Array: ...

    def __rmul__(self, other: Array | complex, /) -> Array: ...

    def __mod__(self, other: Array | complex, /) -> Array: ...

    def __rmod__(self, other: Array | complex, /) -> Array: ...

    def __divmod__(self, other: Array | complex, /) -> tuple[Array, Array]: ...

    def __rdivmod__(self, other: Array | complex, /) -> tuple[Array, Array]: ...

    def __pow__(self, other: Array | complex, /) -> Array: ...

    def __rpow__(self, other: Array | complex, /) -> Array: ...

    def __neg__(self) -> Array: ...

    def __pos__(self) -> Array: ...

    def __abs__(self) -> Array: ...

    def __bool__(self) -> bool: ...

    def __invert__(self) -> Array: ...

    def __lshift__(self, other: Array | complex, /) -> Array: ...

    def __rlshift__(self, other: Array | complex, /) -> Array: ...

    def __rshift__(self, other: Array | complex, /) -> Array: ...

    def __rrshift__(self, other: Array | complex, /) -> Array: ...

    def __and__(self, other: Array | complex, /) -> Array: ...

    def __rand__(self, other: Array | complex, /) -> Array: ...

    def __xor__(self, other: Array | complex, /) -> Array: ...

    def __rxor__(self, other: Array | complex, /) -> Array: ...

    def __or__(self, other: Array | complex, /) -> Array: ...

    def __ror__(self, other: Array | complex, /) -> Array: ...

    def __int__(self) -> int: ...

    def __float__(self) -> float: ...

    def __iadd__(self, other: Array | complex, /) -> Array: ...

    def __isub__(self, other: Array | complex, /) -> Array: ...

    def __imul__(self, other: Array | complex, /) -> Array: ...

    def __imod__(self, other: Array | complex, /) -> Array: ...

    def __ipow__(self, other: Array | complex, /) -> Array: ...

    def __ilshift__(self, other: Array | complex, /) -> Array: ...

    def __irshift__(self, other: Array | complex, /) -> Array: ...

    def __iand__(self, other: Array | complex, /) -> Array: ...

    def __ixor__(self, other: Array | complex, /) -> Array: ...

    def __ior__(self, other: Array | complex, /) -> Array: ...

    def __floordiv__(self, other: Array | complex, /) -> Array: ...

    def __rfloordiv__(self, other: Array | complex, /) -> Array: ...

    def __truediv__(self, other: Array | complex, /) -> Array: ...

    def __rtruediv__(self, other: Array | complex, /) -> Array: ...

    def __ifloordiv__(self, other: Array | complex, /) -> Array: ...

    def __itruediv__(self, other: Array | complex, /) -> Array: ...

    def __index__(self) -> int: ...

    def __matmul__(self, other: Array, /) -> Array: ...

    def __rmatmul__(self, other: Array, /) -> Array: ...

    def __imatmul__(self, other: Array, /) -> Array: ...

    def __len__(self) -> int: ...

    def __buffer__(self, flags: int, /) -> memoryview: ...

    def __getitem__(self, key: Any, /) -> Array: ...

    def __setitem__(self, key: Any, value: Array | complex, /) -> None: ...

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents of the axes."""

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one element to the next along each axis."""

    @property
    def dtype(self) -> Any:
        """The NumPy dtype of an element."""

    @property
    def ndim(self) -> int:
        """The number of axes."""

    @property
    def size(self) -> int:
        """The number of elements."""

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""

    @property
    def device(self) -> Device: ...

    @property
    def is_c_contiguous(self) -> bool:
        """Whether the elements lie without gaps, the last axis fastest."""

    @property
    def is_f_contiguous(self) -> bool:
        """Whether the elements lie without gaps, the first axis fastest."""

    @property
    def is_read_only(self) -> bool: ...

    @property
    def T(self) -> Array:
        """A view with the axes reversed."""

    @property
    def mT(self) -> Array:
        """A view with the last two axes exchanged."""

    @property
    def real(self) -> Array:
        """The real parts, a view."""

    @real.setter
    def real(self, arg: object, /) -> None: ...

    @property
    def imag(self) -> Array:
        """The imaginary parts, a view; zeros for real types."""

    @imag.setter
    def imag(self, arg: object, /) -> None: ...

    @overload
    def item(self) -> Any:
        """The only element, as a Python number."""

    @overload
    def item(self, *index: Any) -> Any:
        """An element, by its coordinates or its number in C order."""

    def __complex__(self) -> complex: ...

    def __iter__(self) -> Iterator[Array]: ...

    def __contains__(self, value: object, /) -> bool: ...

    @property
    def ptr(self) -> int:
        """
        The address of the first element. Evaluates; from then on operations on the memory run at once.
        """

    @property
    def gpudata(self) -> Buffer:
        """The memory that the elements lie in, as a Buffer. Evaluates."""

    def __repr__(self) -> str: ...

    def __str__(self) -> str: ...

    def __array_namespace__(self, *, api_version: str | None = None) -> Any: ...

    def __array_ufunc__(self, *args: Any, **options: Any) -> Any: ...

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any: ...

    def __reduce__(self) -> tuple[Any, ...]: ...

    def __copy__(self) -> Array: ...

    def __deepcopy__(self, memo: Any, /) -> Array: ...

    def get(self, out: Any = None, stream: Stream | Any = None) -> Any:
        """
        A NumPy array with the elements, or `out` with them. With a stream it returns before they have arrived.
        """

    def set(self, host: Any, stream: Stream | Any = None) -> None:
        """Copies the elements of a NumPy array of the same shape and dtype here."""

    def tolist(self) -> Any:
        """Nested lists of Python numbers."""

    def tobytes(self, order: str | None = 'C') -> bytes:
        """
        The elements in C order; 'F': in F order; 'A': in F order where they lie so.
        """

    def astype(self, dtype: Any, order: str | None = 'K', casting: str = 'unsafe', *, copy: bool = True, device: Device | str | None = None) -> Array:
        """
        The elements as another type; a new array, unless copy=False allows this one.
        """

    def copy(self, order: str | None = 'C') -> Array:
        """A new array of the same elements; order 'K' keeps that of memory."""

    def fill(self, value: complex | Array) -> None:
        """Writes a number to every element."""

    def view(self, dtype: Any) -> Array:
        """The same bytes as another type."""

    def to_device(self, device: Device | str, *, stream: None = None) -> Array:
        """A copy on the device; the array itself where it is there."""

    def reshape(self, *shape: int | tuple[int, ...], order: str = 'C', copy: bool | None = None) -> Array:
        """
        The elements, counted in C order or that of `order`, as another shape, -1 for what is left; a view where possible.
        """

    def ravel(self, order: str = 'C') -> Array:
        """
        One axis, in C order, 'F', 'A' or that of memory ('K'); a view where possible.
        """

    def flatten(self, order: str = 'C') -> Array:
        """A copy of one axis."""

    def transpose(self, *axes: int | tuple[int, ...]) -> Array:
        """A view with the axes in this order; without any, reversed."""

    def squeeze(self, axis: int | tuple[int, ...] | None = None) -> Array:
        """A view without axes of extent 1."""

    def swapaxes(self, axis1: int, axis2: int) -> Array:
        """A view with two axes exchanged."""

    def conj(self) -> Array:
        """The complex conjugate."""

    def clip(self, min: Any = None, max: Any = None, out: Array | None = None) -> Array:
        """Not below min nor above max; a limit of None is none."""

    def round(self, decimals: int = 0, out: Array | None = None) -> Array:
        """The nearest number with so many decimal places; of two the even one."""

    def conjugate(self) -> Array:
        """The complex conjugate."""

    def dot(self, b: Array, out: Array | None = None) -> Array:
        """The sum of products over the last axis and the second to last of b."""

    def trace(self, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Array | None = None) -> Array:
        """The sum of diagonals."""

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
        """A read-only view of diagonals, which are the last axis."""

    def take(self, indices: Any, axis: int | None = None, out: Array | None = None, mode: str = 'raise') -> Array:
        """The elements at indices along an axis, or of the raveled array."""

    def put(self, indices: Any, values: Any, mode: str = 'raise') -> None:
        """Writes values at positions in C order; of equal ones the last stays."""

    def choose(self, choices: Sequence[Array], out: Array | None = None, mode: str = 'raise') -> Array:
        """choices[self[i]][i]."""

    def repeat(self, repeats: Any, axis: int | None = None) -> Array:
        """Each element `repeats` times: a number for all, or one for each."""

    def partition(self, kth: int | Sequence[int], axis: int = -1) -> None:
        """In place: element kth is where sort puts it, smaller ones before."""

    def argpartition(self, kth: int | Sequence[int], axis: int | None = -1) -> Array:
        """The places that partition the array."""

    @property
    def flags(self) -> ArrayFlags:
        """How the elements lie, under NumPy's names."""

    @property
    def flat(self) -> Any:
        """The elements in C order, for reading and writing."""

    @flat.setter
    def flat(self, values: Any, /) -> None: ...

    def sum(self, axis: int | tuple[int, ...] | None = None, dtype: Any = None, out: Array | None = None, *, keepdims: bool = False, initial: complex | None = None, where: Array | bool = True) -> Array:
        """
        The sum; narrow integers as 64-bit ones, 16-bit floats added in float32.
        """

    def prod(self, axis: int | tuple[int, ...] | None = None, dtype: Any = None, out: Array | None = None, *, keepdims: bool = False, initial: complex | None = None, where: Array | bool = True) -> Array:
        """The product; types as those of sum."""

    def min(self, axis: int | tuple[int, ...] | None = None, out: Array | None = None, *, dtype: Any = None, keepdims: bool = False, initial: complex | None = None, where: Array | bool = True) -> Array:
        """The least element; NaN where there is one."""

    def max(self, axis: int | tuple[int, ...] | None = None, out: Array | None = None, *, dtype: Any = None, keepdims: bool = False, initial: complex | None = None, where: Array | bool = True) -> Array:
        """The greatest element; NaN where there is one."""

    def any(self, axis: int | tuple[int, ...] | None = None, out: Array | None = None, *, dtype: Any = None, keepdims: bool = False, where: Array | bool = True) -> Array:
        """Whether any element is true."""

    def all(self, axis: int | tuple[int, ...] | None = None, out: Array | None = None, *, dtype: Any = None, keepdims: bool = False, where: Array | bool = True) -> Array:
        """Whether all elements are true."""

    def mean(self, axis: int | tuple[int, ...] | None = None, dtype: Any = None, out: Array | None = None, *, keepdims: bool = False, where: Array | bool = True) -> Array:
        """The mean; of integers in float64."""

    def var(self, axis: int | tuple[int, ...] | None = None, dtype: Any = None, out: Array | None = None, *, correction: float = 0.0, keepdims: bool = False, where: Array | bool = True, ddof: float | None = None) -> Array:
        """
        The mean squared distance from the mean; divides by count - correction.
        """

    def std(self, axis: int | tuple[int, ...] | None = None, dtype: Any = None, out: Array | None = None, *, correction: float = 0.0, keepdims: bool = False, where: Array | bool = True, ddof: float | None = None) -> Array:
        """The root of the variance."""

    def argmin(self, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False) -> Array:
        """The index of the first least element, or of the first NaN."""

    def argmax(self, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False) -> Array:
        """The index of the first greatest element, or of the first NaN."""

    def cumsum(self, axis: int | None = None, dtype: Any = None, out: Array | None = None) -> Array:
        """The sums of all elements up to each."""

    def cumprod(self, axis: int | None = None, dtype: Any = None, out: Array | None = None) -> Array:
        """The products of all elements up to each."""

    def nonzero(self) -> tuple[Array, ...]:
        """The indices of elements that are not 0."""

    def compress(self, condition: Any, axis: int | None = None, out: Array | None = None) -> Array:
        """The slices along an axis where the condition is true."""

    def argsort(self, axis: int | None = -1, *, descending: bool = False, stable: bool = True, kind: str | None = None) -> Array:
        """The int64 places along an axis that sort the array."""

    def sort(self, axis: int = -1, *, descending: bool = False, kind: str | None = None) -> None:
        """Sorts the array in place."""

    def searchsorted(self, v: Any, /, side: str = 'left', sorter: Array | None = None) -> Array:
        """Where v belongs in this sorted array."""

    def __array__(self, dtype: Any = None, *, copy: bool | None = None) -> Any:
        """
        A NumPy array over the memory. On the CPU device only: elsewhere use get().
        """

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """For CuPy, Numba and PyTorch. GPUs only."""

    def __dlpack__(self, *, stream: int | None = None, max_version: tuple[int, int] | None = None, dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any: ...

    def __dlpack_device__(self) -> tuple[int, int]: ...

    __array_priority__: float = 1000.0

class ArrayFlags:
    """How the elements of an array lie."""

    def __init__(self, no: NoReturn, /) -> None: ...

    @property
    def c_contiguous(self) -> bool:
        """Whether they lie without gaps, the last axis fastest."""

    @property
    def f_contiguous(self) -> bool:
        """Whether they lie without gaps, the first axis fastest."""

    @property
    def writeable(self) -> bool: ...

    @property
    def forc(self) -> bool:
        """Whether either of both is true."""

    @property
    def fnc(self) -> bool:
        """Whether f_contiguous is true and c_contiguous is not."""

    def __getitem__(self, name: str) -> bool: ...

    def __repr__(self) -> str: ...

def sum(x: Array, /, axis: int | tuple[int, ...] | None = None, dtype: Any = None, out: Array | None = None, *, keepdims: bool = False, initial: complex | None = None, where: Array | bool = True) -> Array:
    """
    The sum; narrow integers as 64-bit ones, 16-bit floats added in float32.
    """

def prod(x: Array, /, axis: int | tuple[int, ...] | None = None, dtype: Any = None, out: Array | None = None, *, keepdims: bool = False, initial: complex | None = None, where: Array | bool = True) -> Array:
    """The product; types as those of sum."""

def min(x: Array, /, axis: int | tuple[int, ...] | None = None, out: Array | None = None, *, dtype: Any = None, keepdims: bool = False, initial: complex | None = None, where: Array | bool = True) -> Array:
    """The least element; NaN where there is one."""

def max(x: Array, /, axis: int | tuple[int, ...] | None = None, out: Array | None = None, *, dtype: Any = None, keepdims: bool = False, initial: complex | None = None, where: Array | bool = True) -> Array:
    """The greatest element; NaN where there is one."""

def any(x: Array, /, axis: int | tuple[int, ...] | None = None, out: Array | None = None, *, dtype: Any = None, keepdims: bool = False, where: Array | bool = True) -> Array:
    """Whether any element is true."""

def all(x: Array, /, axis: int | tuple[int, ...] | None = None, out: Array | None = None, *, dtype: Any = None, keepdims: bool = False, where: Array | bool = True) -> Array:
    """Whether all elements are true."""

def mean(x: Array, /, axis: int | tuple[int, ...] | None = None, dtype: Any = None, out: Array | None = None, *, keepdims: bool = False, where: Array | bool = True) -> Array:
    """The mean; of integers in float64."""

def var(x: Array, /, axis: int | tuple[int, ...] | None = None, dtype: Any = None, out: Array | None = None, *, correction: float = 0.0, keepdims: bool = False, where: Array | bool = True, ddof: float | None = None) -> Array:
    """
    The mean squared distance from the mean; divides by count - correction.
    """

def std(x: Array, /, axis: int | tuple[int, ...] | None = None, dtype: Any = None, out: Array | None = None, *, correction: float = 0.0, keepdims: bool = False, where: Array | bool = True, ddof: float | None = None) -> Array:
    """The root of the variance."""

def argmin(x: Array, /, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False) -> Array:
    """The index of the first least element, or of the first NaN."""

def argmax(x: Array, /, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False) -> Array:
    """The index of the first greatest element, or of the first NaN."""

def count_nonzero(x: Array, /, axis: int | tuple[int, ...] | None = None, out: Array | None = None, *, dtype: Any = None, keepdims: bool = False, where: Array | bool = True) -> Array:
    """How many elements are not zero."""

def cumulative_sum(x: Array, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False, out: Array | None = None) -> Array:
    """
    The sums of all elements up to each, along an axis; types as those of sum.
    """

def cumulative_prod(x: Array, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False, out: Array | None = None) -> Array:
    """
    The products of all elements up to each, along an axis; types as those of prod.
    """

def cumsum(x: Array, /, axis: int | None = None, dtype: Any = None, out: Array | None = None) -> Array:
    """cumulative_sum, without an axis of the raveled array."""

def cumprod(x: Array, /, axis: int | None = None, dtype: Any = None, out: Array | None = None) -> Array:
    """cumulative_prod, without an axis of the raveled array."""

def accumulate(ufunc: str, x: Array, /, axis: int = 0, dtype: Any = None, out: Array | None = None) -> Array:
    """
    All elements up to each, joined by a function such as 'maximum', 'logical_or' or 'bitwise_xor'.
    """

def reduceat(ufunc: str, x: Array, /, indices: Any, axis: int = 0, dtype: Any = None) -> Array:
    """
    The elements from each index to before the next, joined by a function that accumulate() takes; the element at the index where the next is not greater.
    """

def compress(condition: Any, a: Array, axis: int | None = None, out: Array | None = None) -> Array:
    """
    The slices along an axis where the condition (1-D) is true; without an axis, elements of the raveled array.
    """

def extract(condition: Any, arr: Array) -> Array:
    """The elements where the condition is true, both raveled."""

def nonzero(x: Array, /) -> tuple[Array, ...]:
    """
    The indices of elements that are not 0, in C order: an int64 array for each axis.
    """

def flatnonzero(x: Array, /) -> Array:
    """The indices of elements of the raveled array that are not 0."""

def argwhere(x: Array, /) -> Array:
    """The indices of elements that are not 0, as rows."""

def set_block_forms(always: bool) -> bool:
    """
    For tests: whether the CPU device runs the kernels of GPUs; returns what it was.
    """

def library_sources() -> list[str]:
    """
    For tests: the texts of the library's own kernels that this process has compiled.
    """

def sort(x: Array, /, axis: int | None = -1, *, descending: bool = False, stable: bool = True, kind: str | None = None) -> Array:
    """
    A sorted copy along an axis, NaN last; every sort is stable. axis=None: of the raveled array.
    """

def argsort(x: Array, /, axis: int | None = -1, *, descending: bool = False, stable: bool = True, kind: str | None = None) -> Array:
    """The int64 places along an axis that sort the array."""

def lexsort(keys: Sequence[Array] | Array, axis: int = -1) -> Array:
    """
    The int64 places that sort by the last key, of equal ones by the one before it.
    """

def topk(x: Array, /, k: int, axis: int = -1, *, largest: bool = True) -> tuple[Array, Array]:
    """
    The k largest (or smallest) elements along an axis, in order, and their places.
    """

def partition(x: Array, /, kth: int | Sequence[int], axis: int | None = -1) -> Array:
    """
    Element kth is where sort puts it, smaller ones before; here all are sorted.
    """

def argpartition(x: Array, /, kth: int | Sequence[int], axis: int | None = -1) -> Array:
    """The places that partition the array."""

def searchsorted(x1: Array, x2: Any, /, side: str = 'left', sorter: Array | None = None) -> Array:
    """
    Where x2 belongs in the sorted x1: before what is equal, or ('right') behind it.
    """

def isin(x1: Array, x2: Any, /, *, invert: bool = False) -> Array:
    """Whether each element of x1 is among those of x2."""

def digitize(x: Array, /, bins: Any, right: bool = False) -> Array:
    """Which bin each element is in, of bins that increase or decrease."""

def unique(x: Array, /, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False, axis: int | None = None, *, equal_nan: bool = True) -> Any:
    """
    The elements of the raveled array, or what lies along an axis, each once, sorted; where each comes first, which of them each element is, and how often each occurs.
    """

def unique_values(x: Array, /) -> Array:
    """The elements of the raveled array, each once, sorted; every NaN."""

def unique_counts(x: Array, /) -> Any:
    """
    The elements, each once, sorted, and how often each occurs: (values, counts).
    """

def unique_inverse(x: Array, /) -> Any:
    """
    The elements, each once, sorted, and which of them each element is: (values, inverse_indices).
    """

def unique_all(x: Array, /) -> Any:
    """
    The elements, each once, sorted, where each comes first, which of them each element is, and how often each occurs: (values, indices, inverse_indices, counts).
    """

def intersect1d(x1: Array, x2: Any, /, assume_unique: bool = False, return_indices: bool = False) -> Any:
    """
    The elements that are in both arrays, each once, sorted; with return_indices a tuple of them and of where they come first in either.
    """

def union1d(x1: Array, x2: Any, /) -> Array:
    """The elements that are in either array, each once, sorted."""

def setdiff1d(x1: Array, x2: Any, /, assume_unique: bool = False) -> Array:
    """
    The elements of x1 that are not in x2, each once, sorted; with assume_unique as in x1.
    """

def setxor1d(x1: Array, x2: Any, /, assume_unique: bool = False) -> Array:
    """The elements that are in one array alone, each once, sorted."""

def from_dlpack(x: Any, /, *, device: Device | str | None = None, copy: bool | None = None) -> Array:
    """An array over the memory of another library's tensor, or a copy of it."""

MAX_RANK: int = 16

def evaluate(*arrays: Array) -> Any:
    """Computes the arrays, in as few kernels as possible, and returns them."""

def explain(*arrays: Array) -> str:
    """
    The kernels that evaluate() would launch: what is fused, why not more, and the source.
    """

def set_lazy(lazy: bool) -> bool:
    """Whether operations of this thread are recorded; returns what it was."""

def empty(shape: int | tuple[int, ...], dtype: Any = None, order: str | None = 'C', *, device: Device | str | None = None) -> Array:
    """An array with undefined contents."""

def zeros(shape: int | tuple[int, ...], dtype: Any = None, order: str | None = 'C', *, device: Device | str | None = None) -> Array:
    """An array of zeros; records of zero bytes."""

def ones(shape: int | tuple[int, ...], dtype: Any = None, order: str | None = 'C', *, device: Device | str | None = None) -> Array:
    """An array of ones."""

def empty_like(x: Array, /, dtype: Any = None, order: str | None = 'K', *, shape: int | tuple[int, ...] | None = None, device: Device | str | None = None) -> Array:
    """
    An array with the shape and axis order of x and undefined contents, unless they are given.
    """

def zeros_like(x: Array, /, dtype: Any = None, order: str | None = 'K', *, shape: int | tuple[int, ...] | None = None, device: Device | str | None = None) -> Array:
    """Zeros, with the shape and axis order of x, unless they are given."""

def ones_like(x: Array, /, dtype: Any = None, order: str | None = 'K', *, shape: int | tuple[int, ...] | None = None, device: Device | str | None = None) -> Array:
    """Ones, with the shape and axis order of x, unless they are given."""

def full(shape: int | tuple[int, ...], fill_value: complex | Array, dtype: Any = None, order: str | None = 'C', *, device: Device | str | None = None) -> Array:
    """
    An array of one number, or of the elements of an array that broadcasts to the shape.
    """

def full_like(x: Array, /, fill_value: complex | Array, dtype: Any = None, order: str | None = 'K', *, shape: int | tuple[int, ...] | None = None, device: Device | str | None = None) -> Array:
    """As full(), with the shape and axis order of x unless they are given."""

def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None, *, device: Device | str | None = None) -> Array:
    """start, start + step, ... before stop; NumPy's values."""

def eye(n_rows: int, n_cols: int | None = None, k: int = 0, dtype: Any = None, order: str | None = 'C', *, device: Device | str | None = None) -> Array:
    """Ones on diagonal k, zeros elsewhere."""

def asarray(obj: Any, /, dtype: Any = None, order: str | None = None, *, device: Device | str | None = None, copy: bool | None = None) -> Array:
    """
    An array of a number, of nested sequences, of a NumPy array, or of an array of another library (DLPack, __cuda_array_interface__). Host memory is copied, unless copy=False on a device that shares it; arrays of other libraries are not, unless copy=True or their order is not the one asked for.
    """

def array(object: Any, dtype: Any = None, *, copy: bool = True, order: str | None = 'K', ndmin: int = 0, device: Device | str | None = None) -> Array:
    """
    As asarray, but always a copy; with `ndmin` axes at least, new ones in front.
    """

def from_pointer(address: int, shape: int | tuple[int, ...], dtype: Any, strides: tuple[int, ...] | None = None, owner: object = None, *, device: Device | str | None = None, read_only: bool = False) -> Array:
    """
    An array over memory that exists; it keeps `owner` alive. Strides count bytes.
    """

def from_buffer(buffer: Buffer, shape: int | tuple[int, ...], dtype: Any, strides: tuple[int, ...] | None = None, *, offset: int = 0) -> Array:
    """An array over a part of a Buffer, from byte `offset` on."""

def add(x1: Array | complex, x2: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The sum; of bools, whether either is true."""

def subtract(x1: Array | complex, x2: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The difference."""

def multiply(x1: Array | complex, x2: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The product; of bools, whether both are true."""

def divide(x1: Array | complex, x2: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The quotient as a floating-point number."""

def floor_divide(x1: Array | complex, x2: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """
    The greatest integer not above the quotient; integers divided by zero are 0.
    """

def remainder(x1: Array | complex, x2: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """
    What floor division leaves, with the sign of the divisor; by integer zero 0.
    """

def fmod(x1: Array | complex, x2: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """
    What division towards zero leaves, with the sign of the dividend; by integer zero 0.
    """

def pow(x1: Array | complex, x2: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """
    The first to the power of the second; integers wrap, and to a negative power are 1 / x ** -y towards zero.
    """

def negative(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The number with the other sign."""

def positive(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The number itself."""

def abs(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The absolute value; the least signed integer stays itself."""

def sign(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """-1, 0 or 1 by the sign; of complex numbers x / abs(x); NaN of NaN."""

def square(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The number times itself."""

def reciprocal(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """1 / x; of integers towards zero, of integer zero 0."""

def minimum(x1: Array | complex, x2: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The lesser of two; NaN where either is."""

def maximum(x1: Array | complex, x2: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The greater of two; NaN where either is."""

def fmin(x1: Array | complex, x2: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The lesser of two; the other where one is NaN."""

def fmax(x1: Array | complex, x2: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The greater of two; the other where one is NaN."""

def ceil(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The least integer not below, in the same type."""

def floor(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The greatest integer not above, in the same type."""

def trunc(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The integer towards zero, in the same type."""

def exp(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """e to the power of the number."""

def exp2(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """2 to the power of the number."""

def expm1(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """exp(x) - 1, accurate near 0."""

def log(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The natural logarithm."""

def log1p(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """log(1 + x), accurate near 0."""

def log2(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The logarithm to base 2."""

def log10(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The logarithm to base 10."""

def logaddexp(x1: Array | complex, x2: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """log(exp(x) + exp(y)), without overflow."""

def logaddexp2(x1: Array | complex, x2: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """log2(2 ** x + 2 ** y), without overflow."""

def sqrt(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The square root."""

def cbrt(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The cube root."""

def rsqrt(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """1 / sqrt(x)."""

def hypot(x1: Array | complex, x2: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """sqrt(x * x + y * y), without overflow."""

def sin(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The sine."""

def cos(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The cosine."""

def tan(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The tangent."""

def asin(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The inverse sine."""

def acos(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The inverse cosine."""

def atan(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The inverse tangent."""

def atan2(x1: Array | complex, x2: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The angle of the point (second, first) from -pi to pi."""

def sinh(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The hyperbolic sine."""

def cosh(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The hyperbolic cosine."""

def tanh(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The hyperbolic tangent."""

def asinh(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The inverse hyperbolic sine."""

def acosh(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The inverse hyperbolic cosine."""

def atanh(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The inverse hyperbolic tangent."""

def deg2rad(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """Degrees as radians."""

def rad2deg(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """Radians as degrees."""

def erf(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The error function."""

def erfc(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """1 - erf(x), accurate where erf(x) is near 1."""

def lgamma(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The logarithm of the absolute value of the gamma function."""

def tgamma(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The gamma function."""

def heaviside(x1: Array | complex, x2: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """0 below zero, 1 above it, the second at zero; NaN of NaN."""

def copysign(x1: Array | complex, x2: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The first with the sign of the second."""

def nextafter(x1: Array | complex, x2: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The number next to the first in the direction of the second."""

def signbit(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """Whether the sign is negative, that of -0.0 and NaN too."""

def isfinite(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """Whether neither infinite nor NaN."""

def isinf(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """Whether infinite; of complex numbers, whether either part is."""

def isnan(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """Whether NaN; of complex numbers, whether either part is."""

def real(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The real part; of real numbers the number."""

def imag(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The imaginary part; of real numbers 0."""

def conj(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The complex conjugate; of real numbers the number."""

def equal(x1: Array | complex, x2: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """Whether equal."""

def not_equal(x1: Array | complex, x2: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """Whether not equal."""

def less(x1: Array | complex, x2: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """Whether the first is less."""

def less_equal(x1: Array | complex, x2: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """Whether the first is less or equal."""

def greater(x1: Array | complex, x2: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """Whether the first is greater."""

def greater_equal(x1: Array | complex, x2: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """Whether the first is greater or equal."""

def logical_and(x1: Array | complex, x2: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """Whether both are true; a number is true where it is not 0."""

def logical_or(x1: Array | complex, x2: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """Whether either is true."""

def logical_xor(x1: Array | complex, x2: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """Whether exactly one is true."""

def logical_not(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """Whether not true."""

@overload
def where(x1: Array | complex, x2: Array | complex, x3: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The second where the first is true, else the third."""

@overload
def where(condition: Array, /) -> tuple[Array, ...]:
    """As nonzero()."""

def bitwise_and(x1: Array | complex, x2: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The bits that both have."""

def bitwise_or(x1: Array | complex, x2: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The bits that either has."""

def bitwise_xor(x1: Array | complex, x2: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The bits that exactly one has."""

def bitwise_invert(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """Every bit inverted; of bools, the other one."""

def bitwise_left_shift(x1: Array | complex, x2: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """
    The bits moved up; 0 for shifts by the width or more, and by negative numbers.
    """

def bitwise_right_shift(x1: Array | complex, x2: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """
    The bits moved down, filled with the sign; only the sign for shifts by the width or more, and by negative numbers.
    """

def bitwise_count(x: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """How many bits of the absolute value are 1."""

def gcd(x1: Array | complex, x2: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """The greatest common divisor of the absolute values; of 0 and x, x."""

def lcm(x1: Array | complex, x2: Array | complex, /, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """
    The least common multiple of the absolute values, which wraps; with 0, 0.
    """

def elementwise_names() -> frozenset[str]:
    """What NumPy's ufuncs map to."""

def clip(x: Array, /, min: Array | complex | None = None, max: Array | complex | None = None, *, out: Array | None = None) -> Array:
    """minimum(maximum(x, min), max); a limit of None is none."""

def round(x: Array | complex, /, decimals: int = 0, *, out: Array | None = None, where: Array | bool = True, dtype: Any = None) -> Array:
    """
    The nearest integer, or number with so many decimal places; of two the even one.
    """

def matmul(x1: Array, x2: Array, /, out: Array | None = None) -> Array:
    """The product of matrices, of the last two axes."""

def vecdot(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    """The sum of conj(x1) * x2 along an axis."""

def tensordot(x1: Array, x2: Array, /, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Array:
    """
    The sum of products over the last `axes` axes of x1 and the first of x2, or over the axes that are given.
    """

def bincount(x: Array, /, weights: Array | None = None, minlength: int = 0) -> Array:
    """
    How often each number from 0 on occurs; with weights their sums, float64.
    """

def histogram(x: Array, /, bins: Any = 10, range: tuple[float, float] | None = None, density: bool | None = None, weights: Array | None = None) -> tuple[Array, Array]:
    """
    How many elements are in each of `bins` bins of one width, or between edges that are given; and the edges.
    """

def take(x: Array, /, indices: Any, axis: int | None = None, out: Array | None = None, mode: str = 'raise') -> Array:
    """
    The elements at indices along an axis, or of the raveled array; mode 'raise', 'wrap' or 'clip'.
    """

def take_along_axis(x: Array, /, indices: Any, axis: int | None = -1) -> Array:
    """
    result[i, j] = x[i, indices[i, j]] for axis 1: what argsort and argmax index.
    """

def delete(x: Array, /, obj: Any, axis: int | None = None) -> Array:
    """
    Without the elements at an index, a slice or indices; without an axis, raveled.
    """

def insert(x: Array, /, obj: Any, values: Any, axis: int | None = None) -> Array:
    """
    With values in front of an index, a slice or indices; without an axis, raveled.
    """

def put(x: Array, /, ind: Any, v: Any, mode: str = 'raise') -> None:
    """Writes values at positions in C order; of equal ones the last stays."""

def put_along_axis(x: Array, /, indices: Any, values: Array | complex, axis: int | None) -> None:
    """Writes x[i, indices[i, j]] = values[i, j] for axis 1."""

def indices(dimensions: Sequence[int], dtype: Any = None, sparse: bool = False, *, device: Device | str | None = None) -> Any:
    """
    The coordinates of a grid, along the first axis; sparse: a tuple that broadcasts to it.
    """

def unravel_index(indices: Any, shape: int | Sequence[int], order: str | None = 'C') -> tuple[Array, ...]:
    """Positions as coordinates."""

def ravel_multi_index(multi_index: Sequence[Array], dims: Sequence[int], mode: str = 'raise', order: str | None = 'C') -> Array:
    """Coordinates as positions."""

def broadcast_to(x: Array, /, shape: tuple[int, ...]) -> Array:
    """A read-only view of another shape, in which x is repeated."""

def broadcast_shapes(*shapes: int | tuple[int, ...]) -> tuple[int, ...]:
    """The shape that all of them broadcast to."""

def broadcast_arrays(*arrays: Array) -> list[Array]:
    """Views of the shape that all broadcast to."""

def meshgrid(*arrays: Array, copy: bool = True, sparse: bool = False, indexing: str = 'xy') -> list[Array]:
    """
    The coordinates of a grid, one array for each axis; views that are read-only with copy=False. With `sparse` all extents but one are 1.
    """

def expand_dims(x: Array, /, axis: int | tuple[int, ...] = 0) -> Array:
    """A view with axes of extent 1 added."""

def squeeze(x: Array, /, axis: int | tuple[int, ...] | None = None) -> Array:
    """A view without axes of extent 1."""

def flip(x: Array, /, axis: int | tuple[int, ...] | None = None) -> Array:
    """A view with axes reversed."""

def sliding_window_view(x: Array, /, window_shape: int | tuple[int, ...], axis: int | tuple[int, ...] | None = None) -> Array:
    """
    A read-only view of all windows of this shape along the axes; the windows' axes are last, and no element is copied.
    """

def permute_dims(x: Array, /, axes: tuple[int, ...]) -> Array:
    """A view with the axes in this order."""

def matrix_transpose(x: Array, /) -> Array:
    """A view with the last two axes exchanged."""

def moveaxis(x: Array, source: int | tuple[int, ...], destination: int | tuple[int, ...], /) -> Array:
    """A view with axes moved to other places."""

def reshape(x: Array, /, shape: int | tuple[int, ...], order: str = 'C', *, copy: bool | None = None) -> Array:
    """
    The elements, counted in C order or that of `order`, as another shape; a view where possible.
    """

def concat(arrays: Sequence[Array], /, axis: int | None = 0, out: Array | None = None, *, dtype: Any = None, casting: str = 'same_kind') -> Array:
    """The arrays one after another along an axis."""

def stack(arrays: Sequence[Array], /, axis: int = 0, out: Array | None = None, *, dtype: Any = None, casting: str = 'same_kind') -> Array:
    """The arrays one after another along a new axis."""

def unstack(x: Array, /, *, axis: int = 0) -> tuple[Array, ...]:
    """Views of the parts along an axis."""

def roll(x: Array, /, shift: int | tuple[int, ...], axis: int | tuple[int, ...] | None = None) -> Array:
    """The elements moved along axes, those past the end to the beginning."""

def tile(x: Array, repetitions: tuple[int, ...], /) -> Array:
    """The array repeated along its axes."""

def repeat(x: Array, repeats: Any, /, axis: int | None = None) -> Array:
    """Each element `repeats` times: a number for all, or one for each."""

def tril(x: Array, /, k: int = 0) -> Array:
    """The elements on and below diagonal k, zeros elsewhere."""

def triu(x: Array, /, k: int = 0) -> Array:
    """The elements on and above diagonal k, zeros elsewhere."""

def result_type(*arrays_and_dtypes: Any) -> Any:
    """The dtype of an operation on these arrays, numbers and dtypes."""

def can_cast(from_: Any, to: Any, /) -> bool:
    """Whether the conversion keeps every value."""

def astype(x: Array, dtype: Any, /, *, copy: bool = True, device: Device | str | None = None) -> Array:
    """The elements as another type."""

def nansum(x: Array, /, axis: int | tuple[int, ...] | None = None, dtype: Any = None, out: Array | None = None, keepdims: bool = False, initial: complex | None = None, where: Array | bool = True) -> Array:
    """The sum, NaN counted as 0."""

def nanprod(x: Array, /, axis: int | tuple[int, ...] | None = None, dtype: Any = None, out: Array | None = None, keepdims: bool = False, initial: complex | None = None, where: Array | bool = True) -> Array:
    """The product, NaN counted as 1."""

def nanmean(x: Array, /, axis: int | tuple[int, ...] | None = None, dtype: Any = None, out: Array | None = None, keepdims: bool = False, *, where: Array | bool = True) -> Array:
    """The mean of what is not NaN."""

def nanmin(x: Array, /, axis: int | tuple[int, ...] | None = None, out: Array | None = None, keepdims: bool = False, initial: complex | None = None, where: Array | bool = True) -> Array:
    """The least element that is not NaN."""

def nanmax(x: Array, /, axis: int | tuple[int, ...] | None = None, out: Array | None = None, keepdims: bool = False, initial: complex | None = None, where: Array | bool = True) -> Array:
    """The greatest element that is not NaN."""

def nanvar(x: Array, /, axis: int | tuple[int, ...] | None = None, dtype: Any = None, out: Array | None = None, ddof: float = 0.0, keepdims: bool = False, *, where: Array | bool = True) -> Array:
    """The variance of what is not NaN; divides by count - ddof."""

def nanstd(x: Array, /, axis: int | tuple[int, ...] | None = None, dtype: Any = None, out: Array | None = None, ddof: float = 0.0, keepdims: bool = False, *, where: Array | bool = True) -> Array:
    """The root of the variance of what is not NaN."""

def nanargmin(x: Array, /, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False) -> Array:
    """The index of the first least element that is not NaN."""

def nanargmax(x: Array, /, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False) -> Array:
    """The index of the first greatest element that is not NaN."""

def nancumsum(x: Array, /, axis: int | None = None, dtype: Any = None, out: Array | None = None) -> Array:
    """cumsum, NaN counted as 0."""

def nancumprod(x: Array, /, axis: int | None = None, dtype: Any = None, out: Array | None = None) -> Array:
    """cumprod, NaN counted as 1."""

def ptp(x: Array, /, axis: int | tuple[int, ...] | None = None, out: Array | None = None, keepdims: bool = False) -> Array:
    """max - min."""

def average(x: Array, /, axis: int | tuple[int, ...] | None = None, weights: Any = None, returned: bool = False, *, keepdims: bool = False) -> Any:
    """The weighted mean; returned: also the sum of the weights."""

def diff(x: Array, /, n: int = 1, axis: int = -1, prepend: Array | complex | None = None, append: Array | complex | None = None) -> Array:
    """The differences of neighbours, n times."""

def ediff1d(x: Array, /, to_end: Array | complex | None = None, to_begin: Array | complex | None = None) -> Array:
    """The differences of neighbours of the raveled array."""

def gradient(x: Array, /, *spacing: Array | float, axis: int | tuple[int, ...] | None = None, edge_order: int = 1) -> Any:
    """Central differences: an array, or a list of one for each axis."""

def trapezoid(y: Array, /, x: Array | None = None, dx: float = 1.0, axis: int = -1) -> Array:
    """The integral by the trapezoidal rule."""

def unwrap(p: Array, /, discont: float | None = None, axis: int = -1, *, period: float | None = None) -> Array:
    """Phases without jumps greater than half of the period, which is 2 pi."""

def isclose(a: Array | complex, b: Array | complex, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Array:
    """Whether |a - b| <= atol + rtol * |b|."""

def allclose(a: Array | complex, b: Array | complex, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether isclose holds everywhere."""

def array_equal(a1: Array, a2: Array, equal_nan: bool = False) -> bool:
    """Whether shapes and all elements are equal."""

def angle(z: Array, /, deg: bool = False) -> Array:
    """The angle of complex numbers."""

def sinc(x: Array, /) -> Array:
    """sin(pi x) / (pi x)."""

def fix(x: Array, /) -> Array:
    """The integer towards zero, in the same type."""

def nan_to_num(x: Array, /, copy: bool = True, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Array:
    """Finite numbers for NaN and infinities."""

def modf(x: Array, /) -> tuple[Array, Array]:
    """The fraction and the integer."""

def frexp(x: Array, /) -> tuple[Array, Array]:
    """A mantissa of 0.5 to 1 and the power of 2."""

def ldexp(x: Array, exponents: Array | int, /) -> Array:
    """x * 2**exponents."""

def select(conditions: Sequence[Array], choices: Sequence[Array], /, default: Array | complex = 0) -> Array:
    """The first choice whose condition is true."""

def choose(a: Array, choices: Sequence[Array], out: Array | None = None, mode: str = 'raise') -> Array:
    """choices[a[i]][i]."""

def polyval(p: Any, x: Array) -> Array:
    """The polynomial with these coefficients, the highest power first."""

def convolve(a: Array, v: Array, mode: str = 'full') -> Array:
    """The convolution of 1-d arrays; mode 'full', 'same' or 'valid'."""

def correlate(a: Array, v: Array, mode: str = 'valid') -> Array:
    """The correlation of 1-d arrays; mode 'full', 'same' or 'valid'."""

def dot(a: Array, b: Array, out: Array | None = None) -> Array:
    """Sums of products over the last axis of a and the last but one of b."""

def vdot(a: Array, b: Array, /) -> Array:
    """The sum of conj(a) * b over the raveled arrays."""

def inner(a: Array, b: Array, /) -> Array:
    """Sums of products over the last axes."""

def kron(a: Array, b: Array) -> Array:
    """The Kronecker product."""

def outer(a: Array, b: Array, out: Array | None = None) -> Array:
    """All products of the raveled arrays."""

def cross(a: Array, b: Array, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Array:
    """The cross product of vectors of three elements."""

def einsum(subscripts: str, /, *operands: Array, out: Array | None = None, optimize: Any = False) -> Array:
    """
    Sums of products by labels of axes, such as 'ij,jk->ik'; of several operands in an order of its own, whatever optimize= is.
    """

def median(x: Array, /, axis: int | tuple[int, ...] | None = None, out: Array | None = None, overwrite_input: bool = False, keepdims: bool = False) -> Array:
    """The middle of the sorted elements; NaN where there is one."""

def nanmedian(x: Array, /, axis: int | tuple[int, ...] | None = None, out: Array | None = None, overwrite_input: bool = False, keepdims: bool = False) -> Array:
    """The middle of the elements that are not NaN; NaN where none is left."""

def nanquantile(x: Array, /, q: Any, axis: int | tuple[int, ...] | None = None, out: Array | None = None, overwrite_input: bool = False, method: str = 'linear', keepdims: bool = False) -> Array:
    """Between sorted elements that are not NaN, q from 0 to 1."""

def nanpercentile(x: Array, /, q: Any, axis: int | tuple[int, ...] | None = None, out: Array | None = None, overwrite_input: bool = False, method: str = 'linear', keepdims: bool = False) -> Array:
    """Between sorted elements that are not NaN, q from 0 to 100."""

def quantile(x: Array, /, q: Any, axis: int | tuple[int, ...] | None = None, out: Array | None = None, overwrite_input: bool = False, method: str = 'linear', keepdims: bool = False, *, weights: Any = None) -> Array:
    """Between sorted elements, q from 0 to 1."""

def percentile(x: Array, /, q: Any, axis: int | tuple[int, ...] | None = None, out: Array | None = None, overwrite_input: bool = False, method: str = 'linear', keepdims: bool = False, *, weights: Any = None) -> Array:
    """Between sorted elements, q from 0 to 100."""

def interp(x: Array, xp: Any, fp: Any, left: float | None = None, right: float | None = None, period: float | None = None) -> Array:
    """Linear interpolation between points."""

def cov(m: Array, /, y: Array | None = None, rowvar: bool = True, bias: bool = False, ddof: float | None = None, fweights: Array | None = None, aweights: Array | None = None, *, dtype: Any = None) -> Array:
    """
    The covariances of variables, which are rows of observations; columns without rowvar.
    """

def corrcoef(x: Array, /, y: Array | None = None, rowvar: bool = True, *, dtype: Any = None) -> Array:
    """The correlations of variables, from -1 to 1."""

def add_at(x: Array, indices: Any, values: Array | complex, /) -> None:
    """x[indices] += values, for equal indices one after the other."""

def subtract_at(x: Array, indices: Any, values: Array | complex, /) -> None:
    """x[indices] -= values, one after the other."""

def multiply_at(x: Array, indices: Any, values: Array | complex, /) -> None:
    """x[indices] *= values, one after the other."""

def minimum_at(x: Array, indices: Any, values: Array | complex, /) -> None:
    """The lesser of x[indices] and values."""

def maximum_at(x: Array, indices: Any, values: Array | complex, /) -> None:
    """The greater of x[indices] and values."""

def split(x: Array, /, indices_or_sections: int | Sequence[int], axis: int = 0) -> list[Array]:
    """Views of equal parts along an axis, or of the parts between places."""

def array_split(x: Array, /, indices_or_sections: int | Sequence[int], axis: int = 0) -> list[Array]:
    """As split; the first parts may be longer by one."""

def hsplit(x: Array, /, indices_or_sections: int | Sequence[int]) -> list[Array]:
    """split along the second axis, of 1-d arrays the first."""

def vsplit(x: Array, /, indices_or_sections: int | Sequence[int]) -> list[Array]:
    """split along the first axis."""

def dsplit(x: Array, /, indices_or_sections: int | Sequence[int]) -> list[Array]:
    """split along the third axis."""

def vstack(arrays: Sequence[Array], /) -> Array:
    """The arrays along the first axis, 1-d ones as rows."""

def hstack(arrays: Sequence[Array], /) -> Array:
    """The arrays along the second axis, 1-d ones along the first."""

def dstack(arrays: Sequence[Array], /) -> Array:
    """The arrays along the third axis, which those of fewer axes are given."""

def column_stack(arrays: Sequence[Array], /) -> Array:
    """1-d arrays as columns of a matrix."""

def append(arr: Array, values: Any, axis: int | None = None) -> Array:
    """The arrays one after another along an axis, or raveled."""

def atleast_1d(*arrays: Array) -> Any:
    """A view with one axis at least."""

def atleast_2d(*arrays: Array) -> Any:
    """A view with two axes at least, new ones in front."""

def atleast_3d(*arrays: Array) -> Any:
    """A view with three axes at least."""

def rollaxis(x: Array, /, axis: int, start: int = 0) -> Array:
    """A view with an axis moved in front of another."""

def fliplr(x: Array, /) -> Array:
    """A view with the second axis reversed."""

def flipud(x: Array, /) -> Array:
    """A view with the first axis reversed."""

def rot90(x: Array, /, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Array:
    """
    A view turned by 90 degrees k times, from the first axis towards the second.
    """

def diagonal(x: Array, /, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """A read-only view of diagonals, which are the last axis."""

def trace(x: Array, /, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Array | None = None) -> Array:
    """The sum of diagonals."""

def diag(x: Array, /, k: int = 0) -> Array:
    """A diagonal of a matrix, or the matrix with this diagonal."""

def diagflat(x: Array, /, k: int = 0) -> Array:
    """The matrix with the raveled array as its diagonal."""

def pad(x: Array, /, pad_width: Any, mode: str | Callable[..., Any] = 'constant', *, constant_values: Any = 0, end_values: Any = 0, stat_length: Any = None, reflect_type: str = 'even', **kwargs: Any) -> Array:
    """
    The array with a border: 'constant', 'edge', 'reflect', 'symmetric', 'wrap', 'linear_ramp', 'maximum', 'minimum', 'mean', 'median', 'empty', or what a function writes: function(row, (before, after), axis, kwargs), for each row of each axis.
    """

def linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False, dtype: Any = None, axis: int = 0, device: Device | str | None = None) -> Any:
    """`num` values at equal distances, of arrays along a new axis; NumPy's."""

def logspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: float = 10.0, dtype: Any = None, axis: int = 0, device: Device | str | None = None) -> Array:
    """base ** linspace(start, stop, num)."""

def geomspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0, device: Device | str | None = None) -> Array:
    """`num` values, each the same multiple of the one before it."""

class ArrayHolder:
    """
    For layers of another interface over Warpwise that have an array class of their own: the
    base of that class. + - * ** and the negative of such objects, and of one with a number,
    are objects of its class over a lazy array, without a frame of Python.

    `_array` is the Array, `_allocator` whose memory results are for, `_gpudata` the layer's
    object for the memory, `base` what the array is a view of; each may be None. The class
    has `_buffer`, what a launch takes in the place of one not in C order; `_memory_class`,
    derived from Allocation, `_view_gpudata()` and `_set_gpudata(given)`, for `gpudata`;
    `_place_in(given)`, for what an allocator gave that is no Allocation, and
    `_place_strided()`, for arrays that are not in C order, both of which set `_array` and
    `_gpudata` and return the array; and `_translate(error)`, which returns the exception to
    raise in the place of one of ours.
    """

    def __repr__(self) -> str: ...

    def __init__(self) -> None: ...

    def __add__(self, other: Any, /) -> Any: ...

    def __radd__(self, other: Any, /) -> Any: ...

    def __sub__(self, other: Any, /) -> Any: ...

    def __rsub__(self, other: Any, /) -> Any: ...

    def __mul__(self, other: Any, /) -> Any: ...

    def __rmul__(self, other: Any, /) -> Any: ...

    def __pow__(self, other: Any, /) -> Any: ...

    def __rpow__(self, other: Any, /) -> Any: ...

    def __neg__(self) -> Any: ...

    def _placed(self) -> Array:
        """
        The array, in memory that the allocator is asked for now if it was not before: `base`
        and `_gpudata` are None, and there are elements. `_gpudata` is then what it gave.
        """

    _array: Any

    _allocator: Any

    _gpudata: Any

    base: Any

    @property
    def gpudata(self) -> Any:
        """
        The layer's object for the memory, or None for an array without elements. Evaluates.

        Of an array with a base it is what `_view_gpudata()` returns, of one with an allocator
        what that gave; of another one a `_memory_class`, made without a call of its
        `__init__`. What is assigned goes to `_set_gpudata(given)`.
        """

class CudaArray:
    """
    Device memory for textures and surfaces: shape is (width,), (height, width) or (depth, height, width); of a layered one the first axis counts layers, of a cubemap faces.
    """

    def __init__(self, shape: Sequence[int], dtype: Any, channels: int = 1, layered: bool = False, cubemap: bool = False, device: Device | None = None) -> None: ...

    @property
    def shape(self) -> tuple[int, ...]: ...

    @property
    def channels(self) -> int: ...

    @property
    def dtype(self) -> Any:
        """Of one channel."""

    @property
    def is_layered(self) -> bool: ...

    @property
    def is_cubemap(self) -> bool: ...

    @property
    def nbytes(self) -> int:
        """Bytes of its texels."""

    @property
    def device(self) -> Device: ...

    def copy_from(self, host: Any) -> None:
        """Copies a contiguous host array of nbytes bytes here."""

    def copy_to(self, host: Any) -> None:
        """Copies from here into a contiguous host array of nbytes bytes."""

    def __repr__(self) -> str: ...

class MipmappedArray:
    """
    An image in several sizes, each half of the previous one: an array for each level. Shapes as those of CudaArray.
    """

    def __init__(self, shape: Sequence[int], dtype: Any, levels: int | None = None, channels: int = 1, layered: bool = False, cubemap: bool = False, device: Device | None = None) -> None:
        """levels: level 0 included; None: down to a single texel."""

    def level(self, index: int) -> CudaArray:
        """
        A level as an array, which copies and surfaces write; 0 is the largest.
        """

    @property
    def shape(self) -> tuple[int, ...]:
        """Of level 0."""

    @property
    def levels(self) -> int: ...

    @property
    def channels(self) -> int: ...

    @property
    def dtype(self) -> Any:
        """Of one channel."""

    @property
    def nbytes(self) -> int:
        """Bytes of the texels of all levels."""

    @property
    def device(self) -> Device: ...

    def __repr__(self) -> str: ...

def copy_box(destination: Any, source: Any, width_bytes: int, height: int = 1, depth: int = 1, *, destination_at: tuple[int, int, int] = (0, 0, 0), destination_pitch: int = 0, destination_rows: int = 0, source_at: tuple[int, int, int] = (0, 0, 0), source_pitch: int = 0, source_rows: int = 0, stream: Stream | None = None) -> None:
    """
    Copies `depth` slices of `height` rows of `width_bytes` bytes between arrays, buffers and contiguous host memory. `..._at` is (x in bytes, y, z), `..._pitch` the bytes from row to row, `..._rows` the rows in a slice. Blocks, unless a stream is given.
    """

class Texture:
    """A texture object, for parameters of type cudaTextureObject_t."""

    @overload
    def __init__(self, array: CudaArray, *, address: str | Sequence[str] = 'clamp', filter: str = 'point', read: str = 'element', normalized: bool = False, border: Sequence[float] = (0, 0, 0, 0), srgb: bool = False, mip_filter: str = 'point', level_bias: float = 0.0, min_level: float = 0.0, max_level: float | None = None, max_anisotropy: int = 1) -> None: ...

    @overload
    def __init__(self, array: MipmappedArray, *, address: str | Sequence[str] = 'clamp', filter: str = 'point', read: str = 'element', normalized: bool = False, border: Sequence[float] = (0, 0, 0, 0), srgb: bool = False, mip_filter: str = 'point', level_bias: float = 0.0, min_level: float = 0.0, max_level: float | None = None, max_anisotropy: int = 1) -> None: ...

    @overload
    def __init__(self, buffer: Buffer, dtype: Any, channels: int = 1, *, shape: Sequence[int] | None = None, pitch: int = 0, address: str | Sequence[str] = 'clamp', filter: str = 'point', read: str = 'element', normalized: bool = False, border: Sequence[float] = (0, 0, 0, 0), srgb: bool = False) -> None: ...

    @property
    def handle(self) -> int:
        """The cudaTextureObject_t, a number."""

    @property
    def device(self) -> Device: ...

    @property
    def dtype(self) -> Any:
        """Of one channel."""

    @property
    def channels(self) -> int: ...

    @property
    def address(self) -> tuple[str, str, str]: ...

    @property
    def filter(self) -> str: ...

    @property
    def read(self) -> str: ...

    @property
    def normalized(self) -> bool: ...

    @property
    def srgb(self) -> bool: ...

    @property
    def mip_filter(self) -> str: ...

    @property
    def level_bias(self) -> float: ...

    @property
    def min_level(self) -> float: ...

    @property
    def max_level(self) -> float: ...

    @property
    def max_anisotropy(self) -> int: ...

    def __repr__(self) -> str: ...

class Surface:
    """A surface object, for parameters of type cudaSurfaceObject_t."""

    def __init__(self, array: CudaArray) -> None: ...

    @property
    def handle(self) -> int:
        """The cudaSurfaceObject_t, a number."""

    @property
    def device(self) -> Device: ...

    def __repr__(self) -> str: ...

class TextureReference:
    """
    A texture that a source declares as a variable. Launches read the memory bound when they were queued.
    """

    def __init__(self, no: NoReturn, /) -> None: ...

    def set_array(self, array: CudaArray) -> None:
        """Reads the array from now on."""

    def set_address(self, buffer: Buffer) -> None:
        """Linear memory, in the format of set_format or the declared one."""

    def set_address_2d(self, buffer: Buffer, shape: Sequence[int], pitch: int = 0) -> None:
        """Rows of linear memory; `pitch` bytes from one to the next."""

    def set_format(self, dtype: Any, channels: int = 1) -> None:
        """What the texels of linear memory are."""

    def set_filter_mode(self, mode: str) -> None:
        """'point' or 'linear'."""

    def set_address_mode(self, axis: int, mode: str) -> None:
        """'wrap', 'clamp', 'mirror' or 'border'; axis 0 is x."""

    def set_flags(self, flags: int) -> None:
        """
        1: integers are read as integers; 2: coordinates are normalized; 16: bytes read as ratios are sRGB. Added up.
        """

    @property
    def array(self) -> CudaArray | None: ...

    @property
    def buffer(self) -> Buffer: ...

    @property
    def dtype(self) -> Any: ...

    @property
    def channels(self) -> int: ...

    @property
    def filter_mode(self) -> str: ...

    def address_mode(self, axis: int) -> str:
        """That of set_address_mode."""

    @property
    def flags(self) -> int: ...

    def __repr__(self) -> str: ...

class SurfaceReference:
    """A surface that a source declares as a variable."""

    def __init__(self, no: NoReturn, /) -> None: ...

    def set_array(self, array: CudaArray) -> None:
        """Uses the array from now on."""

    @property
    def array(self) -> CudaArray | None: ...

    def __repr__(self) -> str: ...

class HostArgument:
    """A host array as a kernel argument."""

    def __init__(self, no: NoReturn, /) -> None: ...

    @property
    def array(self) -> object: ...

    def __repr__(self) -> str: ...

class In(HostArgument):
    """A host array the kernel reads: copied to the device before."""

    def __init__(self, array: object) -> None: ...

class Out(HostArgument):
    """A host array the kernel writes: copied back after it."""

    def __init__(self, array: object) -> None: ...

class InOut(HostArgument):
    """A host array the kernel changes: copied there and back."""

    def __init__(self, array: object) -> None: ...

class Pointer:
    """A raw device address as a kernel argument."""

    def __init__(self, address: int) -> None: ...

    @property
    def address(self) -> int: ...

    def __int__(self) -> int: ...

    def __index__(self) -> int: ...

    def __repr__(self) -> str: ...

class HostBuffer:
    """
    Host memory that kernels can access: page-locked, so that devices copy it at full speed, or managed. Exports its bytes through the buffer protocol; as a kernel's argument it is a pointer.
    """

    def __init__(self, nbytes: int, *, write_combined: bool = False, pooled: bool = False, managed: bool = False) -> None: ...

    @property
    def nbytes(self) -> int: ...

    @property
    def buffer(self) -> Buffer:
        """The same memory as a Buffer."""

    @property
    def is_managed(self) -> bool: ...

    @property
    def is_freed(self) -> bool: ...

    def free(self) -> None:
        """
        Releases the memory now, in stream order. Raises BufferError while an array or memoryview of it exists.
        """

    def __len__(self) -> int: ...

    def __buffer__(self, flags: int, /) -> memoryview: ...

    def __repr__(self) -> str: ...

class RegisteredMemory:
    """
    Memory allocated by the program, page-locked while this object lives. As a kernel's argument it is a pointer.
    """

    def __init__(self, no: NoReturn, /) -> None: ...

    @property
    def nbytes(self) -> int: ...

    @property
    def buffer(self) -> Buffer:
        """The same memory as a Buffer."""

    @property
    def is_registered(self) -> bool: ...

    def unregister(self) -> None:
        """Unregisters it after the work queued on it; does not wait."""

    def __len__(self) -> int: ...

    def __repr__(self) -> str: ...

def register_host_memory(array: object, read_only: bool = False) -> RegisteredMemory:
    """
    Page-locks the memory of a contiguous array and maps it for kernels, until unregister() or the destruction of the result, and until the work queued on it has ended.
    """

def managed_alloc(nbytes: int) -> HostBuffer:
    """Memory that migrates between host and device."""

def advise(memory: HostBuffer, advice: str, location: Device | None = None) -> None:
    """
    Advises how managed memory will be used: 'set_read_mostly', 'set_preferred_location', 'set_accessed_by' or one of these with 'unset_'. `location`: a device; None: the host.
    """

def prefetch(memory: HostBuffer, location: Device | None = None, stream: Stream | None = None) -> None:
    """
    Moves managed memory to a device, or (None) to the host, in stream order.
    """

def attach(memory: HostBuffer, access: str, stream: Stream | None = None) -> None:
    """
    Sets who may use managed memory from this point of a stream's work: 'global', 'host' or 'single' (that stream alone).
    """

def count_view(array: object, memory: HostBuffer) -> None:
    """Counts an array over `memory` as a view of it, for the array's life."""

def mapped_buffer(array: object) -> Buffer:
    """
    The page-locked, registered or managed memory of a contiguous array, or of a part of one, as a Buffer that kernels accept.
    """

def find_memory(address: int, device: Device | None = None) -> Buffer | None:
    """
    The allocation in use that an address of a device lies in, whole; None for other memory.
    """

def is_freed_memory(address: int, device: Device | None = None) -> bool:
    """
    Whether an address of a device lies in memory that was freed and that its pool keeps for other allocations.
    """

def mem_alloc_pitch(width_bytes: int, height: int, access_bytes: int = 4) -> tuple[Buffer, int]:
    """
    Device memory for rows that begin at multiples of the pitch: (buffer, pitch in bytes).
    """

class Parameter:
    """One parameter of a kernel."""

    def __init__(self, no: NoReturn, /) -> None: ...

    @property
    def name(self) -> str:
        """Empty when the source omits it."""

    @property
    def type(self) -> str:
        """As the source spells it."""

    @property
    def passing(self) -> str:
        """
        "pointer", "scalar", "struct", "opaque", or "sized" where a loaded binary has the size only.
        """

    @property
    def dtype(self) -> Any:
        """
        NumPy dtype of the value or of what the pointer points to; None for void.
        """

    @property
    def is_const(self) -> bool:
        """Whether what a pointer points to is const."""

    @property
    def offset(self) -> int: ...

    @property
    def size(self) -> int: ...

    @property
    def alignment(self) -> int: ...

    def __repr__(self) -> str: ...

class KernelSignature:
    """The parameters of a kernel."""

    def __init__(self, no: NoReturn, /) -> None: ...

    @property
    def name(self) -> str: ...

    @property
    def symbol(self) -> str:
        """The (mangled) name in the binary."""

    @property
    def parameters(self) -> list[Parameter]: ...

    @property
    def max_threads_per_block(self) -> int:
        """From __launch_bounds__; 0 when the source sets none."""

    @property
    def declaration(self) -> str: ...

    def __len__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class LineReport:
    """The memory accesses of one source line, counted in the code."""

    def __init__(self, no: NoReturn, /) -> None: ...

    @property
    def file(self) -> str: ...

    @property
    def line(self) -> int: ...

    @property
    def vectors(self) -> int:
        """Loads and stores of whole vectors."""

    @property
    def strided(self) -> int:
        """Loads in a constant step, put together from elements."""

    @property
    def gathers(self) -> int:
        """Loads of unrelated places."""

    @property
    def scatters(self) -> int:
        """Stores to unrelated places."""

    @property
    def lane_by_lane(self) -> int:
        """Instructions that run for one thread after the other."""

    def __repr__(self) -> str: ...

class KernelForm:
    """One compiled form of a kernel: for blocks of one shape, or of any."""

    def __init__(self, no: NoReturn, /) -> None: ...

    @property
    def block(self) -> tuple[int, int, int] | None:
        """The shape it is for; None: any."""

    @property
    def executor(self) -> str:
        """'gang', 'regions' or 'reference'."""

    @property
    def columns(self) -> int:
        """Threads that run as one, along x."""

    @property
    def rows(self) -> int:
        """Threads that run as one, along y."""

    @property
    def lane_by_lane(self) -> float:
        """The share of its instructions that run for one thread after the other."""

    @property
    def lines(self) -> list[LineReport]: ...

    def __repr__(self) -> str: ...

class KernelReport:
    """
    The forms of a kernel on the CPU device and how their lines access memory; str() is a table.
    """

    def __init__(self, no: NoReturn, /) -> None: ...

    @property
    def kernel(self) -> str: ...

    @property
    def device(self) -> str: ...

    @property
    def forms(self) -> list[KernelForm]:
        """The form for any block first; empty on a GPU."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class BoundKernel:
    """A kernel with its grid and block."""

    def __repr__(self) -> str: ...

    def __call__(self, *args: Any) -> None:
        """Launches it."""

class Kernel:
    """
    A compiled __global__ function. kernel[grid, block, stream, shared](...), kernel(..., grid=, block=, stream=, shared=) and kernel.forall(n)(...) launch it; arguments are checked against its signature. cooperative=True runs all blocks concurrently, for kernels that synchronise the grid. cluster= groups blocks into clusters, and programmatic=True lets the kernel start before the preceding one has ended (GPUs since sm_90).
    """

    def __call__(self, *args: Any, grid: int | Sequence[int] = 1, block: int | Sequence[int] | None = None, stream: Stream | Any = None, shared: int = 0, cooperative: bool = False, cluster: int | Sequence[int] | None = None, programmatic: bool = False) -> None: ...

    def __init__(self, no: NoReturn, /) -> None: ...

    def __getitem__(self, key: tuple[Any, ...]) -> BoundKernel: ...

    def forall(self, n: int, stream: Stream | Any = None, shared: int = 0) -> BoundKernel:
        """A launch of one thread for each of n elements; n = 0 launches nothing."""

    @property
    def name(self) -> str: ...

    @property
    def signature(self) -> KernelSignature: ...

    @property
    def device(self) -> Device: ...

    def report(self) -> KernelReport:
        """
        CPU device: the forms there are by now, and which source lines are not vector accesses. print(kernel.report()) is a table.
        """

    def compile_fully(self, block: int | Sequence[int]) -> None:
        """
        CPU device: compiles the form for blocks of this shape now, instead of in the background after some launches. No effect on a GPU.
        """

    def prefer_cache(self, preference: Literal['none', 'shared', 'l1', 'equal']) -> None:
        """
        How a multiprocessor's memory should be divided: a hint, for all later launches. Without effect on the CPU device.
        """

    def set_shared_carveout(self, percent: int) -> None:
        """
        The share of a multiprocessor's memory that is shared memory, 0 to 100; -1 leaves it to the driver. A hint, like prefer_cache().
        """

    def max_cooperative_blocks(self, block_size: int, shared: int = 0) -> int:
        """
        Blocks that run on the device concurrently: the limit of a cooperative launch.
        """

    @property
    def suggested_block_size(self) -> int:
        """The block size that forall() uses."""

    def occupancy(self, block_size: int, shared: int = 0) -> int:
        """Blocks of this size that fit a multiprocessor at once."""

    def __repr__(self) -> str: ...

    @property
    def num_regs(self) -> int:
        """Registers of a thread; 0 on the CPU device."""

    @property
    def max_threads_per_block(self) -> int: ...

    @property
    def static_shared_bytes(self) -> int: ...

    @property
    def local_bytes(self) -> int:
        """Local memory of a thread."""

    @property
    def constant_bytes(self) -> int: ...

    @property
    def executor(self) -> str:
        """How the CPU device runs it; empty elsewhere."""

    @property
    def lane_by_lane(self) -> float:
        """CPU device: the share of its instructions that run lane by lane."""

    @property
    def max_dynamic_shared_bytes(self) -> int:
        """Bytes of dynamic shared memory that a launch may request at most."""

    @property
    def ptx_version(self) -> int:
        """
        Ten times the virtual architecture it was compiled for; 0 on the CPU device.
        """

    @property
    def binary_version(self) -> int:
        """Ten times the architecture of its machine code; 0 on the CPU device."""

    @property
    def caches_globals_in_l1(self) -> bool:
        """Whether it was compiled to keep global memory in the L1 cache."""

    @property
    def cluster(self) -> tuple[int, int, int] | None:
        """Its __cluster_dims__; None when it has none."""

class SourceModule:
    """CUDA C++ source, compiled now and loaded on a device."""

    def __init__(self, source: str, options: Sequence[str] | None = None, include_dirs: Sequence[str | os.PathLike[str]] | None = None, name: str = ..., headers: Mapping[str, str] | None = None, device: Device | None = None) -> None: ...

    @staticmethod
    def from_file(path: str | os.PathLike[str], options: Sequence[str] | None = None, include_dirs: Sequence[str | os.PathLike[str]] | None = None, headers: Mapping[str, str] | None = None, device: Device | None = None) -> SourceModule:
        """
        Compiles a file of CUDA C++, whose folder is searched for its quoted includes.
        """

    def get_function(self, name: str) -> Kernel:
        """
        A kernel by name ("k", "ns::k"), template instance ("scale<float>") or overload ("k(float *, int)").
        """

    def __getitem__(self, name: str) -> Kernel:
        """The same as get_function."""

    def get_global(self, name: str) -> Buffer:
        """A __device__ or __constant__ variable, as a Buffer."""

    def get_texref(self, name: str) -> TextureReference:
        """A texture reference of the source, to bind memory to."""

    def get_surfref(self, name: str) -> SurfaceReference:
        """A surface reference of the source, to bind an array to."""

    def global_array(self, name: str, dtype: Any, shape: int | tuple[int, ...]) -> Array:
        """
        An array over a __device__ or __constant__ variable, without a copy. Raises ArgumentError where the variable has fewer bytes.
        """

    @property
    def functions(self) -> list[str]:
        """Names of kernels and templates."""

    @property
    def globals(self) -> list[str]:
        """Names of variables."""

    @property
    def log(self) -> str:
        """The compiler's warnings; empty when none."""

    @property
    def device(self) -> Device: ...

    def __repr__(self) -> str: ...

class Module:
    """
    Machine code for GPUs compiled elsewhere (PTX, a cubin, a fatbin), or linked by link(). Arguments are checked by size, and by type where the kernel's symbol or a source has it.
    """

    def __init__(self, no: NoReturn, /) -> None: ...

    @staticmethod
    def from_bytes(data: bytes | bytearray | memoryview | str, name: str = ..., device: Device | None = None) -> Module:
        """Loads PTX (a str, too), a cubin or a fatbin."""

    @staticmethod
    def from_file(path: str | os.PathLike[str], device: Device | None = None) -> Module:
        """Loads a file of the same kinds."""

    def get_function(self, name: str) -> Kernel:
        """A kernel by its symbol, or by its plain name."""

    def __getitem__(self, name: str) -> Kernel:
        """The same as get_function."""

    def get_global(self, name: str) -> Buffer:
        """A __device__ or __constant__ variable, as a Buffer."""

    def global_array(self, name: str, dtype: Any, shape: int | tuple[int, ...]) -> Array:
        """
        An array over a __device__ or __constant__ variable, without a copy. Raises ArgumentError where the variable has fewer bytes.
        """

    @property
    def functions(self) -> list[str]:
        """Names of kernels."""

    @property
    def globals(self) -> list[str]:
        """Names of variables."""

    @property
    def log(self) -> str:
        """Messages of compiler and linker; empty when none."""

    @property
    def device(self) -> Device: ...

    def __repr__(self) -> str: ...

def link(parts: Sequence[str | bytes | os.PathLike[str]], options: Sequence[str] | None = None, include_dirs: Sequence[str | os.PathLike[str]] | None = None, headers: Mapping[str, str] | None = None, device: Device | None = None) -> Module:
    """
    One program of several parts: sources and PTX (str), cubins, LTO IR, fatbins, objects and libraries (bytes), files of any of them (paths). "-dlto" among the options optimises them together. Needs nvJitLink and a GPU; the CPU device accepts sources, as one translation unit.
    """

def compile(source: str, target: str = 'cpu', format: str = 'asm', options: Sequence[str] | None = None, include_dirs: Sequence[str | os.PathLike[str]] | None = None, name: str = ..., headers: Mapping[str, str] | None = None) -> str | bytes:
    """
    Compiles without loading; needs no device of the target. The formats "asm" and "llvm", "ptx" for a GPU, and "preprocessed", the source with its macros expanded and headers in place of #includes, give a str; "object", and "cubin" for a GPU, give bytes.
    """

class ElementwiseKernel:
    """
    A kernel over arrays from the CUDA C++ of one element. x[i] is the element of number i in C order, n is how many there are; pointers to const are inputs, other pointers outputs.
    """

    def __init__(self, arguments: str | Sequence[str], operation: str, name: str = 'kernel', *, preamble: str = '', options: Sequence[str] | None = None, include_dirs: Sequence[str | os.PathLike[str]] | None = None, headers: Mapping[str, str] | None = None, loop_prep: str = '', after_loop: str = '') -> None: ...

    def __call__(self, *args: Any, range: Any = None, slice: Any = None, stream: Stream | Any = None) -> Any:
        """
        Queues the kernel and returns the output, or a tuple of several. The only output may be left out; then it is a new array.
        """

    @property
    def name(self) -> str:
        """The kernel's name in messages and profiles."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """The declarations of the parameters."""

    @property
    def source(self) -> str:
        """The CUDA C++ that is compiled for contiguous arrays."""

    def __repr__(self) -> str: ...

def register_dtype(name: str, dtype: Any) -> None:
    """
    Makes `name` a C++ type for the parameters of kernels over arrays, whose values are `dtype`. A preamble defines it.
    """

class ReductionKernel:
    """
    A reduction over arrays in one launch: map_expr gives the value of element i, reduce_expr joins two values a and b, neutral changes nothing. dtype_out is a dtype, or the name of a C++ type.
    """

    def __init__(self, dtype_out: Any, neutral: str, reduce_expr: str, map_expr: str | None = None, arguments: str | Sequence[str] | None = None, name: str = 'reduce_kernel', *, preamble: str = '', options: Sequence[str] | None = None, include_dirs: Sequence[str | os.PathLike[str]] | None = None, headers: Mapping[str, str] | None = None) -> None: ...

    def __call__(self, *args: Any, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, out: Array | None = None, stream: Stream | Any = None) -> Array:
        """
        Queues the kernel and returns the result: 0-d, or without the axes that were given.
        """

    @property
    def name(self) -> str:
        """The kernel's name in messages and profiles."""

    @property
    def dtype(self) -> Any:
        """The NumPy dtype of results."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """The declarations of the parameters."""

    @property
    def source(self) -> str:
        """
        The CUDA C++ that is compiled to reduce contiguous arrays to one value.
        """

    def __repr__(self) -> str: ...

class InclusiveScanKernel:
    """
    A scan in one launch: element i of the result joins the elements 0 to i by scan_expr, an associative expression of a and b. dtype is a dtype, or the name of a C++ type.
    """

    def __init__(self, dtype: Any, scan_expr: str, neutral: str | None = None, name_prefix: str = 'scan', *, preamble: str = '', options: Sequence[str] | None = None, include_dirs: Sequence[str | os.PathLike[str]] | None = None, headers: Mapping[str, str] | None = None) -> None: ...

    def __call__(self, x: Array, /, out: Array | None = None, *, stream: Stream | Any = None) -> Array:
        """
        Queues the kernel; a new array, or `out`, which may be the array itself.
        """

    @property
    def name(self) -> str:
        """The kernel's name in messages and profiles."""

    @property
    def dtype(self) -> Any:
        """The NumPy dtype of the values."""

    @property
    def source(self) -> str:
        """The CUDA C++ that is compiled for the current device."""

    def __repr__(self) -> str: ...

class ExclusiveScanKernel:
    """
    A scan in one launch: element i of the result joins the elements before i; the first is the neutral value.
    """

    def __init__(self, dtype: Any, scan_expr: str, neutral: str, name_prefix: str = 'scan', *, preamble: str = '', options: Sequence[str] | None = None, include_dirs: Sequence[str | os.PathLike[str]] | None = None, headers: Mapping[str, str] | None = None) -> None: ...

    def __call__(self, x: Array, /, out: Array | None = None, *, stream: Stream | Any = None) -> Array:
        """
        Queues the kernel; a new array, or `out`, which may be the array itself.
        """

    @property
    def name(self) -> str:
        """The kernel's name in messages and profiles."""

    @property
    def dtype(self) -> Any:
        """The NumPy dtype of the values."""

    @property
    def source(self) -> str:
        """The CUDA C++ that is compiled for the current device."""

    def __repr__(self) -> str: ...

class GenericScanKernel:
    """
    A scan with expressions for what is scanned (input_expr: the value of element i) and for what becomes of it (output_statement: item, prev_item, i, n), in segments where is_segment_start_expr is given.
    """

    def __init__(self, dtype: Any, arguments: str | Sequence[str], input_expr: str, scan_expr: str, neutral: str | None, output_statement: str, is_segment_start_expr: str | None = None, name_prefix: str = 'scan', *, preamble: str = '', options: Sequence[str] | None = None, include_dirs: Sequence[str | os.PathLike[str]] | None = None, headers: Mapping[str, str] | None = None) -> None: ...

    def __call__(self, *args: Any, size: int | None = None, stream: Stream | Any = None) -> None:
        """
        Queues the kernel. size is n; without it, how many elements arrays have that are used as x[i].
        """

    @property
    def name(self) -> str:
        """The kernel's name in messages and profiles."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """The declarations of the parameters."""

    @property
    def source(self) -> str:
        """The CUDA C++ that is compiled for the current device."""

    def __repr__(self) -> str: ...

class SeedSequence:
    """
    Entropy as words that differ in every bit for neighbouring seeds: NumPy's SeedSequence, bit by bit.
    """

    def __init__(self, entropy: int | Sequence[int] | None = None, *, spawn_key: Sequence[int] = (), pool_size: int = 4) -> None: ...

    @property
    def entropy(self) -> int:
        """The entropy as one number."""

    @property
    def spawn_key(self) -> tuple[int, ...]:
        """What distinguishes a child from its parent and its siblings."""

    @property
    def pool_size(self) -> int:
        """Words of the pool."""

    @property
    def n_children_spawned(self) -> int:
        """How many children spawn() has made."""

    def generate_state(self, n_words: int, dtype: Any = None) -> Any:
        """Words for the state of a generator: uint32, or uint64."""

    def spawn(self, n_children: int) -> list[SeedSequence]:
        """Children for independent streams; each call makes new ones."""

    def __getstate__(self) -> tuple[Any, ...]: ...

    def __setstate__(self, state: tuple[Any, ...], /) -> None: ...

    def __repr__(self) -> str: ...

class Philox:
    """Philox4x32-10: random words as a function of a key and a counter."""

    def __init__(self, seed: int | Sequence[int] | SeedSequence | None = None, *, key: int | None = None, position: int | None = None) -> None: ...

    @property
    def state(self) -> dict[str, Any]:
        """
        Key, position in blocks of four words, jumps; with the version of streams.
        """

    @state.setter
    def state(self, value: dict[str, Any], /) -> None: ...

    @property
    def seed_seq(self) -> SeedSequence | None:
        """What it was made of; None for states."""

    def jumped(self, jumps: int = 1) -> Philox:
        """A generator of a stream of 2^64 blocks that overlaps no other."""

    def advance(self, delta: int) -> Philox:
        """Moves on by `delta` blocks of four words."""

    def spawn(self, n_children: int) -> list[Philox]:
        """Generators of independent streams."""

    def random_raw(self, size: int | None = None) -> Any:
        """Random words: an int, or a NumPy array of uint32."""

    def __getstate__(self) -> tuple[Any, ...]: ...

    def __setstate__(self, state: tuple[Any, ...], /) -> None: ...

    def __repr__(self) -> str: ...

class XORWOW:
    """
    XORWOW (Marsaglia, 2003): 16,384 subsequences of cuRAND's default generator, 2^67 words apart.
    """

    def __init__(self, seed: int | Sequence[int] | SeedSequence | None = None) -> None: ...

    @property
    def seed_seq(self) -> SeedSequence | None:
        """What it was made of; None for states."""

    def spawn(self, n_children: int) -> list[XORWOW]:
        """Generators of independent streams."""

    def random_raw(self, size: int | None = None) -> Any:
        """Random words: an int, or a NumPy array of uint32."""

    def __getstate__(self) -> tuple[Any, ...]: ...

    def __setstate__(self, state: tuple[Any, ...], /) -> None: ...

    def __repr__(self) -> str: ...

    @property
    def state(self) -> dict[str, Any]:
        """
        Seed, position in blocks of four words, jumps; with the version of streams.
        """

    @state.setter
    def state(self, value: dict[str, Any], /) -> None: ...

    def jumped(self, jumps: int = 1) -> XORWOW:
        """
        A generator of a stream that overlaps no other: 16,384 subsequences further.
        """

    def advance(self, delta: int) -> XORWOW:
        """Moves every subsequence on by `delta` blocks of four words."""

class Generator:
    """
    Random numbers by distribution, as NumPy's Generator has them. The same on every device.
    """

    def __init__(self, bit_generator: Philox | XORWOW) -> None: ...

    @property
    def bit_generator(self) -> Philox | XORWOW:
        """Where its words come from."""

    def spawn(self, n_children: int) -> list[Generator]:
        """Generators of independent streams."""

    def __getstate__(self) -> tuple[Any, ...]: ...

    def __setstate__(self, state: tuple[Any, ...], /) -> None: ...

    def __repr__(self) -> str: ...

    def random(self, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None, out: Array | None = None) -> Array:
        """Uniform numbers in [0, 1)."""

    def uniform(self, low: Array | float = 0.0, high: Array | float = 1.0, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None, out: Array | None = None) -> Array:
        """Uniform numbers in [low, high)."""

    def standard_normal(self, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None, out: Array | None = None) -> Array:
        """Normal numbers of mean 0 and standard deviation 1."""

    def normal(self, loc: Array | float = 0.0, scale: Array | float = 1.0, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None, out: Array | None = None) -> Array:
        """Normal numbers: loc + scale * standard_normal."""

    def lognormal(self, mean: Array | float = 0.0, sigma: Array | float = 1.0, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None, out: Array | None = None) -> Array:
        """exp of normal numbers."""

    def standard_exponential(self, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None, out: Array | None = None) -> Array:
        """Their mean is 1."""

    def exponential(self, scale: Array | float = 1.0, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None, out: Array | None = None) -> Array:
        """Exponential numbers of mean scale."""

    def standard_gamma(self, shape: Array | float, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None, out: Array | None = None) -> Array:
        """Gamma variates of scale 1 (Marsaglia and Tsang)."""

    def gamma(self, shape: Array | float, scale: Array | float = 1.0, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None, out: Array | None = None) -> Array:
        """Gamma variates of mean shape * scale."""

    def beta(self, a: Array | float, b: Array | float, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None, out: Array | None = None) -> Array:
        """Beta variates of mean a / (a + b)."""

    def chisquare(self, df: Array | float, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None, out: Array | None = None) -> Array:
        """Sums of df squared normal numbers."""

    def f(self, dfnum: Array | float, dfden: Array | float, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None, out: Array | None = None) -> Array:
        """Ratios of mean squares: Fisher's F."""

    def standard_t(self, df: Array | float, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None, out: Array | None = None) -> Array:
        """Student's t of df degrees."""

    def standard_cauchy(self, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None, out: Array | None = None) -> Array:
        """Cauchy numbers."""

    def laplace(self, loc: Array | float = 0.0, scale: Array | float = 1.0, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None, out: Array | None = None) -> Array:
        """Double exponential numbers."""

    def logistic(self, loc: Array | float = 0.0, scale: Array | float = 1.0, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None, out: Array | None = None) -> Array:
        """Logistic numbers."""

    def gumbel(self, loc: Array | float = 0.0, scale: Array | float = 1.0, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None, out: Array | None = None) -> Array:
        """Gumbel's extreme values."""

    def rayleigh(self, scale: Array | float = 1.0, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None, out: Array | None = None) -> Array:
        """Lengths of pairs of normal numbers of deviation scale."""

    def weibull(self, a: Array | float, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None, out: Array | None = None) -> Array:
        """Weibull numbers of shape a."""

    def pareto(self, a: Array | float, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None, out: Array | None = None) -> Array:
        """Pareto II (Lomax) numbers of shape a."""

    def power(self, a: Array | float, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None, out: Array | None = None) -> Array:
        """Numbers of density a * x ** (a - 1) in [0, 1]."""

    def noncentral_chisquare(self, df: Array | float, nonc: Array | float, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None, out: Array | None = None) -> Array:
        """chisquare whose means' squares add up to nonc."""

    def noncentral_f(self, dfnum: Array | float, dfden: Array | float, nonc: Array | float, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None, out: Array | None = None) -> Array:
        """f whose numerator is noncentral."""

    def vonmises(self, mu: Array | float, kappa: Array | float, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None, out: Array | None = None) -> Array:
        """Angles around mu."""

    def wald(self, mean: Array | float, scale: Array | float, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None, out: Array | None = None) -> Array:
        """Inverse Gaussian numbers."""

    def triangular(self, left: Array | float, mode: Array | float, right: Array | float, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None, out: Array | None = None) -> Array:
        """Their density rises from left to mode and falls to right."""

    def poisson(self, lam: Array | float = 1.0, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None, out: Array | None = None) -> Array:
        """Numbers of events of mean lam; int64."""

    def binomial(self, n: Array | float, p: Array | float, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None, out: Array | None = None) -> Array:
        """Successes in n trials of probability p; int64."""

    def negative_binomial(self, n: Array | float, p: Array | float, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None, out: Array | None = None) -> Array:
        """Failures before n successes of probability p; int64."""

    def geometric(self, p: Array | float, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None, out: Array | None = None) -> Array:
        """Trials of probability p until the first success; int64."""

    def hypergeometric(self, ngood: Array | float, nbad: Array | float, nsample: Array | float, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None, out: Array | None = None) -> Array:
        """
        Good ones among nsample elements of ngood and nbad, without replacement; int64.
        """

    def logseries(self, p: Array | float, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None, out: Array | None = None) -> Array:
        """Numbers k of probability -p ** k / (k * log(1 - p)); int64."""

    def zipf(self, a: Array | float, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None, out: Array | None = None) -> Array:
        """Numbers k of probability ~ k ** -a; int64."""

    def integers(self, low: Array | int, high: Array | int | None = None, size: int | tuple[int, ...] | None = None, dtype: Any = None, endpoint: bool = False, *, device: Device | str | None = None, out: Array | None = None) -> Array:
        """
        Integers from low to high - 1 (high with endpoint), or below low; without bias, of any integer type or bool; default int64.
        """

    def choice(self, a: Array | int, size: int | tuple[int, ...] | None = None, replace: bool = True, p: Any = None, axis: int = 0, *, device: Device | str | None = None) -> Array:
        """
        Elements of an array along an axis, or of 0, ..., a - 1; uniformly, or with probabilities p.
        """

    def permutation(self, x: Array | int, axis: int = 0, *, device: Device | str | None = None) -> Array:
        """
        0, ..., x - 1 in random order, or a copy of an array in random order along an axis.
        """

    def shuffle(self, x: Array, axis: int = 0) -> None:
        """Brings an array into random order along an axis, in place."""

    def bytes(self, length: int) -> bytes:
        """Random bytes."""

    def multinomial(self, n: Array | int, pvals: Any, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None) -> Array:
        """
        How n trials fall among outcomes of probabilities pvals, along a last axis; int64.
        """

    def dirichlet(self, alpha: Any, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None) -> Array:
        """Parts of 1, along a last axis."""

    def multivariate_normal(self, mean: Any, cov: Any, size: int | tuple[int, ...] | None = None, dtype: Any = None, *, device: Device | str | None = None) -> Array:
        """
        Normal vectors along a last axis; the covariance is factorised (Cholesky) on the host.
        """

def default_rng(seed: int | Sequence[int] | SeedSequence | Philox | XORWOW | Generator | None = None) -> Generator:
    """
    A generator of Philox, of a seed, or of the operating system's entropy.
    """

class SobolSequence:
    """
    Points that fill a cube evenly, float64 in [0, 1), the same on every device.
    """

    def __init__(self, directions: Any, *, scramble: bool = True, seed: int | Sequence[int] | SeedSequence | None = None, device: Device | str | None = None) -> None: ...

    def random(self, n: int = 1) -> Array:
        """The next n points, of shape (n, d)."""

    def fast_forward(self, n: int) -> SobolSequence:
        """Passes n points."""

    def reset(self) -> SobolSequence:
        """Back to the first point."""

    @property
    def d(self) -> int:
        """Dimensions of the points."""

    @property
    def bits(self) -> int:
        """There are 2**bits points."""

    @property
    def num_generated(self) -> int:
        """How many points were drawn or passed."""

    def __repr__(self) -> str: ...

class PythonKernel:
    """A Python function compiled for types of arguments, on a device."""

    def __init__(self, no: NoReturn, /) -> None: ...

    @property
    def source(self) -> str:
        """The CUDA C++ that was compiled."""

    @property
    def types(self) -> str:
        """Of the arguments, as signatures name them."""

    @property
    def kernel(self) -> Kernel:
        """Its attributes, occupancy and device."""

    def writes(self, argument: int) -> bool:
        """Whether it writes the memory of this argument, an array."""

    def __repr__(self) -> str: ...

class PythonLaunch:
    """A Python function with its grid and block."""

    def __init__(self, no: NoReturn, /) -> None: ...

    def __call__(self, *args: Any) -> None: ...

class PythonFunction:
    """
    Kernels from the syntax tree of a Python function, compiled for the types of arguments.
    """

    def __init__(self, program: str, *, zero_unset: bool = False, debug: bool = False, fast_math: bool = False, line_info: bool = False, max_registers: int = 0, options: Sequence[str] | None = None, launch_bounds: Sequence[int] = [], preamble: str = '') -> None: ...

    @property
    def name(self) -> str: ...

    @staticmethod
    def types_of(*args: Any) -> str:
        """The types of arguments, as signatures name them."""

    def source(self, signature: str) -> str:
        """The CUDA C++ for these types."""

    def device_source(self, signature: str, name: str, returns_status: bool, result: str = '') -> str:
        """
        The CUDA C++ for these types, of a function that is no kernel, as extern "C" of that name; its result is returned, or stored at the first argument.
        """

    def written(self, signature: str) -> list[bool]:
        """Which arguments are arrays that the function writes."""

    def compile(self, signature: str, device: Device | None = None) -> PythonKernel:
        """The kernel for these types; compiled where it is new."""

    def kernels(self) -> list[PythonKernel]:
        """What was compiled so far."""

    def result_of(self, signature: str) -> str:
        """The type that the function returns for arguments of these types."""

    def kernel_for(self, *args: Any) -> PythonKernel:
        """The kernel for these arguments; compiled where it is new."""

    def configure(self, grid: int | Sequence[int], block: int | Sequence[int], stream: Stream | Any = None, shared: int = 0, cooperative: bool = False) -> PythonLaunch:
        """A launch of that grid and block."""

    def configure_for_all(self, kernel: PythonKernel, n: int, stream: Stream | Any, shared: int, block: int) -> PythonLaunch:
        """
        One thread for each of n elements, above 0; block 0: as occupancy suggests.
        """

class FrozenValues:
    """Globals and attributes with the values that were read."""

    def __init__(self, entries: list[tuple[Any, str, Any]]) -> None: ...

    def are_current(self) -> bool:
        """Whether all of them are there still."""

class PythonLauncher:
    """A function with its grid and block; called with the arguments."""

    def __repr__(self) -> str: ...

    def __call__(self, *args: Any) -> None: ...

    def keep(self, kernel: PythonKernel, launch: PythonLaunch, values: FrozenValues | None, /) -> None: ...

    def __reduce__(self) -> tuple[Any, ...]: ...

    @property
    def griddim(self) -> tuple[int, ...] | None: ...

    @property
    def blockdim(self) -> tuple[int, ...] | None: ...

class LaunchTable:
    """
    Launches of a function by their grid and block, kept. A derived class has launch_of(key).
    """

    def __init__(self) -> None: ...

    def __getitem__(self, key: Any, /) -> Any: ...

    def forget_launches(self) -> None:
        """Makes them again."""

def make_launcher(function: Any, where: tuple[Any, ...]) -> PythonLauncher:
    """A launcher of the function, which calls its launch_anew()."""

class PreparedCall:
    """
    A kernel, called with grid, block, perhaps a stream, and its arguments.
    """

    def __call__(self, grid: tuple[int, ...], block: tuple[int, ...], *args: Any) -> None: ...

def prepared_call(bind: Callable[..., BoundKernel], otherwise: Callable[..., Any], refused: type[BaseException], translate: Callable[[BaseException], BaseException], count: int, form: Literal['positional', 'on_stream', 'named']) -> Callable[..., Any]:
    """
    A function for layers of another interface over Warpwise, whose calls give grid and
    block.

    Parameters
    ----------
    bind : callable
        Gives the BoundKernel of a grid, a block and a stream or None. Integers for its
        pointers are addresses.
    otherwise : callable
        Gets every call that is not like the last one, and those whose values the
        launch refuses.
    refused : class of exceptions
        After it nothing has run.
    translate : callable
        Gives the exception to raise for one that a launch has raised.
    count : int
        Of values; any number where grid and block are named.
    form : {'positional', 'on_stream', 'named'}
        `call(grid, block, *values)`, `call(grid, block, stream, *values)`, or
        `call(*values, grid=grid, block=block)`, where the grid is (1, 1) unless given.
    """

class FastCall:
    """
    For layers of another interface over Warpwise: the base of a class whose instances are
    called. A call of one is a call of its `_call_target`, without a frame of Python.
    """

    def __repr__(self, /) -> str: ...

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any: ...

    _call_target: Any

def describe_call(type: type[FastCall], described: Callable[..., Any]) -> None:
    """
    Sets the `__call__` that a class derived from FastCall shows, with its signature.
    Instances of the class itself are called as before; those of classes derived from
    it are called through the function.

    Parameters
    ----------
    type : class derived from FastCall
    described : callable
        Does what a call of an instance does.
    """

class SparseArray:
    """
    A sparse matrix in compressed rows (csr), compressed columns (csc), coordinates (coo) or dense blocks (bsr).
    """

    def __init__(self, no: NoReturn, /) -> None: ...

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""

    @property
    def ndim(self) -> int:
        """2."""

    @property
    def nnz(self) -> int:
        """Entries, zeros among them too."""

    @property
    def size(self) -> int:
        """Entries, as SciPy's."""

    @property
    def format(self) -> str:
        """'csr', 'csc', 'coo' or 'bsr'."""

    @property
    def blocksize(self) -> tuple[int, int]:
        """Rows and columns of a bsr matrix' blocks; (1, 1) for other formats."""

    @property
    def dtype(self) -> Any:
        """The NumPy dtype of the values."""

    @property
    def device(self) -> Device:
        """Where the arrays are."""

    @property
    def data(self) -> Array:
        """The values."""

    @data.setter
    def data(self, values: Array, /) -> None: ...

    @property
    def indices(self) -> Array:
        """Columns (csc: rows) of the entries."""

    @property
    def indptr(self) -> Array:
        """Where rows (csc: columns) begin among the entries."""

    @property
    def row(self) -> Array:
        """coo: rows of entries."""

    @property
    def col(self) -> Array:
        """coo: columns of entries."""

    @property
    def T(self) -> SparseArray:
        """The transpose; shares all memory."""

    def __matmul__(self, x: Any, /) -> Any: ...

    def __rmatmul__(self, x: Array, /) -> Array: ...

    def __getitem__(self, key: Any, /) -> Any: ...

    def __reduce__(self) -> tuple[Any, ...]: ...

    def __repr__(self) -> str: ...

    def dot(self, x: Any) -> Any:
        """
        The product with a vector or a dense matrix, an Array; with a sparse matrix or a number, one.
        """

    def tocsr(self, copy: bool = False) -> SparseArray:
        """In compressed rows."""

    def tocsc(self, copy: bool = False) -> SparseArray:
        """In compressed columns."""

    def tocoo(self, copy: bool = False) -> SparseArray:
        """As coordinates and values."""

    def tobsr(self, blocksize: tuple[int, int] | None = None) -> SparseArray:
        """
        In dense blocks; of None the largest square ones (to 6) that are 70 % full.
        """

    def asformat(self, format: str) -> SparseArray:
        """In that format; itself where it has it."""

    def get(self) -> Any:
        """SciPy's array of the same format, on the host."""

    def astype(self, dtype: Any) -> SparseArray:
        """The same with values of another type."""

    def copy(self) -> SparseArray:
        """The same structure with values of its own."""

    def transpose(self, axes: None = None, copy: bool = False) -> SparseArray:
        """The transpose; shares all memory, unless it is to be copied."""

    def reshape(self, *shape: Any, order: str | None = 'C', copy: bool = False) -> SparseArray:
        """
        The same elements in rows of another length, in the order of C or of Fortran.
        """

    def diagonal(self, k: int = 0) -> Array:
        """The elements (i, i + k)."""

    def toarray(self, order: str | None = None, out: Array | None = None) -> Array:
        """The dense array."""

    def todense(self, order: str | None = None, out: Array | None = None) -> Array:
        """The dense array."""

    @property
    def has_sorted_indices(self) -> bool:
        """Whether the entries of each row (csc: column) are by their indices."""

    @has_sorted_indices.setter
    def has_sorted_indices(self, arg: bool, /) -> None: ...

    @property
    def has_canonical_format(self) -> bool:
        """Whether they are, and none is at the place of another one."""

    @has_canonical_format.setter
    def has_canonical_format(self, arg: bool, /) -> None: ...

    def sorted_indices(self) -> SparseArray:
        """The same with entries by their indices."""

    def sort_indices(self) -> None:
        """
        Sorts the entries of each row (csc: column) by their indices, in place.
        """

    def sum_duplicates(self) -> None:
        """Adds entries at one place, in place, and sorts them."""

    def eliminate_zeros(self) -> None:
        """Removes entries that are 0, in place."""

    def __add__(self, other: SparseArray | Array | complex, /) -> Any: ...

    def __radd__(self, other: Array | complex, /) -> Any: ...

    def __sub__(self, other: SparseArray | Array | complex, /) -> Any: ...

    def __rsub__(self, other: Array | complex, /) -> Any: ...

    def multiply(self, other: SparseArray | Array | complex) -> SparseArray:
        """
        The product element by element; a dense array broadcasts to the matrix.
        """

    def power(self, n: complex, dtype: Any = None) -> SparseArray:
        """Each element to a power that is not 0."""

    def __mul__(self, other: SparseArray | Array | complex, /) -> SparseArray: ...

    def __rmul__(self, other: Array | complex, /) -> SparseArray: ...

    def __truediv__(self, divisor: Array | complex, /) -> SparseArray: ...

    def __pow__(self, exponent: complex, /) -> SparseArray: ...

    def __neg__(self) -> SparseArray: ...

    def __abs__(self) -> SparseArray: ...

    def __eq__(self, other: Any, /) -> NoReturn: ...

    def __ne__(self, other: Any, /) -> NoReturn: ...

    def __lt__(self, other: Any, /) -> NoReturn: ...

    def __le__(self, other: Any, /) -> NoReturn: ...

    def __gt__(self, other: Any, /) -> NoReturn: ...

    def __ge__(self, other: Any, /) -> NoReturn: ...

    def arcsin(self) -> SparseArray:
        """numpy.arcsin of each element."""

    def arcsinh(self) -> SparseArray:
        """numpy.arcsinh of each element."""

    def arctan(self) -> SparseArray:
        """numpy.arctan of each element."""

    def arctanh(self) -> SparseArray:
        """numpy.arctanh of each element."""

    def ceil(self) -> SparseArray:
        """numpy.ceil of each element."""

    def deg2rad(self) -> SparseArray:
        """numpy.deg2rad of each element."""

    def expm1(self) -> SparseArray:
        """numpy.expm1 of each element."""

    def floor(self) -> SparseArray:
        """numpy.floor of each element."""

    def log1p(self) -> SparseArray:
        """numpy.log1p of each element."""

    def rad2deg(self) -> SparseArray:
        """numpy.rad2deg of each element."""

    def rint(self) -> SparseArray:
        """numpy.rint of each element."""

    def sign(self) -> SparseArray:
        """numpy.sign of each element."""

    def sin(self) -> SparseArray:
        """numpy.sin of each element."""

    def sinh(self) -> SparseArray:
        """numpy.sinh of each element."""

    def sqrt(self) -> SparseArray:
        """numpy.sqrt of each element."""

    def tan(self) -> SparseArray:
        """numpy.tan of each element."""

    def tanh(self) -> SparseArray:
        """numpy.tanh of each element."""

    def trunc(self) -> SparseArray:
        """numpy.trunc of each element."""

    def conj(self) -> SparseArray:
        """The complex conjugate."""

    def conjugate(self) -> SparseArray:
        """The complex conjugate."""

    @property
    def real(self) -> SparseArray:
        """The real parts."""

    @property
    def imag(self) -> SparseArray:
        """The imaginary parts; zeros for real types."""

    def sum(self, axis: int | None = None, dtype: Any = None, out: Array | None = None) -> Array:
        """The sum of all elements, or along an axis."""

    def mean(self, axis: int | None = None, dtype: Any = None, out: Array | None = None) -> Array:
        """The mean of all elements, or along an axis."""

    def max(self, axis: int | None = None) -> Array:
        """The greatest element, or those along an axis."""

    def min(self, axis: int | None = None) -> Array:
        """The least element, or those along an axis."""

    def count_nonzero(self, axis: int | None = None) -> Array:
        """How many elements are not 0."""

    def trace(self, offset: int = 0) -> Array:
        """The sum of the elements (i, i + offset)."""

def csr_array(arg: Any, /, shape: tuple[int, int] | None = None, dtype: Any = None, *, device: Device | str | None = None) -> SparseArray:
    """
    A matrix in compressed rows, of (data, indices, indptr), (data, (row, col)), a shape, a sparse matrix (SciPy's too) or a dense array.
    """

def csc_array(arg: Any, /, shape: tuple[int, int] | None = None, dtype: Any = None, *, device: Device | str | None = None) -> SparseArray:
    """A matrix in compressed columns, of what csr_array takes."""

def coo_array(arg: Any, /, shape: tuple[int, int] | None = None, dtype: Any = None, *, device: Device | str | None = None) -> SparseArray:
    """A matrix of coordinates and values, of what csr_array takes."""

def bsr_array(arg: Any, /, shape: tuple[int, int] | None = None, dtype: Any = None, blocksize: tuple[int, int] | None = None, *, device: Device | str | None = None) -> SparseArray:
    """
    A matrix of dense blocks in compressed rows, of (data, indices, indptr) with data of three axes, or of what csr_array takes else.
    """

class LinearOperator:
    """What multiplies vectors: a function, or a matrix."""

    def __init__(self, shape: tuple[int, int], matvec: Callable[[Array], Array], rmatvec: Callable[[Array], Array] | None = None, dtype: Any = None) -> None: ...

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""

    @property
    def dtype(self) -> Any:
        """The NumPy dtype of products."""

    def matvec(self, x: Array) -> Array:
        """The product with a vector."""

    def rmatvec(self, x: Array) -> Array:
        """The product of the conjugate transpose with a vector."""

    def __matmul__(self, arg: Array, /) -> Array: ...

    def __repr__(self) -> str: ...

def aslinearoperator(A: Any) -> LinearOperator:
    """
    The operator of a sparse matrix, a dense array, or an object with shape and matvec.
    """

def jacobi(A: Any) -> LinearOperator:
    """A preconditioner: division by the diagonal."""

def cg(A: Any, b: Array, x0: Array | None = None, *, rtol: float = 1e-5, atol: float = 0.0, maxiter: int | None = None, M: Any = None, callback: Callable[[Array], Any] | None = None) -> tuple[Array, int]:
    """
    Conjugate gradients for Hermitian positive definite A: (x, info), where info is 0, or the iterations without convergence. Ends at |b - A x| <= max(rtol * |b|, atol).
    """

def bicgstab(A: Any, b: Array, x0: Array | None = None, *, rtol: float = 1e-5, atol: float = 0.0, maxiter: int | None = None, M: Any = None, callback: Callable[[Array], Any] | None = None) -> tuple[Array, int]:
    """BiCGSTAB for any square A: (x, info); info below 0 is a breakdown."""

def gmres(A: Any, b: Array, x0: Array | None = None, *, rtol: float = 1e-5, atol: float = 0.0, restart: int | None = None, maxiter: int | None = None, M: Any = None, callback: Callable[[Any], Any] | None = None, callback_type: str | None = None) -> tuple[Array, int]:
    """
    GMRES with restarts for any square A: (x, info). callback gets |r| / |b| of each inner iteration, or x after each cycle (callback_type='x'). maxiter counts cycles; with a callback and no callback_type, inner iterations.
    """

def minres(A: Any, b: Array, x0: Array | None = None, *, rtol: float = 1e-5, shift: float = 0.0, maxiter: int | None = None, M: Any = None, callback: Callable[[Array], Any] | None = None, show: bool = False, check: bool = False) -> tuple[Array, int]:
    """
    MINRES for symmetric A, which may be indefinite: (x, info) of (A - shift I) x = b. check refuses what is not symmetric; show prints the progress.
    """

class IncompleteLU:
    """
    Factors L U that approximate a matrix; ilu0() makes them, and solvers take them as M.
    """

    def __init__(self, no: NoReturn, /) -> None: ...

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""

    @property
    def nnz(self) -> int:
        """Entries of both factors."""

    @property
    def dtype(self) -> Any:
        """The NumPy dtype of the factors."""

    @property
    def L(self) -> SparseArray:
        """The lower factor in CSR, with ones on the diagonal."""

    @property
    def U(self) -> SparseArray:
        """The upper factor in CSR."""

    def solve(self, rhs: Array, trans: str = 'N') -> Array:
        """
        x of L U x = rhs; of the transpose ('T') or the conjugate transpose ('H').
        """

    def __repr__(self) -> str: ...

def spsolve_triangular(A: Any, b: Array, lower: bool = True, unit_diagonal: bool = False) -> Array:
    """x of A x = b for a triangular matrix; b has one or two axes."""

def ilu0(A: Any) -> IncompleteLU:
    """
    Incomplete factors L U with the places of A's entries, ILU(0): a preconditioner.
    """

def block_jacobi(A: Any, block_size: int) -> LinearOperator:
    """A preconditioner: the inverses of square blocks along the diagonal."""

def lsqr(A: Any, b: Array, damp: float = 0.0, atol: float = 1e-06, btol: float = 1e-06, conlim: float = 1e8, iter_lim: int | None = None, show: bool = False, calc_var: bool = False, x0: Array | None = None) -> tuple[Array, int, int, float, float, float, float, float, float, Array]:
    """
    Least squares by LSQR, for A of any shape: (x, istop, itn, r1norm, r2norm, anorm, acond, arnorm, xnorm, var), as SciPy's.
    """

class PacketedArray:
    """
    A sparse matrix in packets of rows (Bell and Garland, 2008), for products with vectors.
    """

    def __init__(self, no: NoReturn, /) -> None: ...

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""

    @property
    def ndim(self) -> int:
        """2."""

    @property
    def nnz(self) -> int:
        """Entries, zeros among them too."""

    @property
    def packets(self) -> int:
        """How many packets there are."""

    @property
    def remainder(self) -> int:
        """Entries of rows that are too long for a packet."""

    @property
    def dtype(self) -> Any:
        """The NumPy dtype of the values."""

    @property
    def device(self) -> Device:
        """Where the arrays are."""

    def tocsr(self) -> SparseArray:
        """In compressed rows, entry by entry."""

    def toarray(self) -> Array:
        """The dense array."""

    def get(self) -> Any:
        """SciPy's csr_array, on the host."""

    def dot(self, x: Array) -> Array:
        """The product with a vector."""

    def __matmul__(self, x: Array, /) -> Array: ...

    def __reduce__(self) -> tuple[Any, ...]: ...

    def __repr__(self) -> str: ...

def pkt_array(arg: Any, /, shape: tuple[int, int] | None = None, dtype: Any = None, *, device: Device | str | None = None) -> PacketedArray:
    """A matrix in packets of rows, of what csr_array takes."""

class ProfileRecord:
    """
    One operation, range or mark. Fields that a kind does not have, or the source does not provide, are 0 or empty.
    """

    def __init__(self, no: NoReturn, /) -> None: ...

    @property
    def kind(self) -> str:
        """"kernel", "copy", "fill", "graph", "range" or "mark"."""

    @property
    def name(self) -> str: ...

    @property
    def device(self) -> str:
        """Empty for ranges and marks."""

    @property
    def start(self) -> int:
        """Nanoseconds since the profile began."""

    @property
    def duration(self) -> int:
        """Nanoseconds."""

    @property
    def stream(self) -> int:
        """Identifies a stream of the device."""

    @property
    def thread(self) -> int:
        """Of ranges and marks."""

    @property
    def grid(self) -> tuple[int, int, int]: ...

    @property
    def block(self) -> tuple[int, int, int]: ...

    @property
    def registers(self) -> int:
        """Of a thread."""

    @property
    def static_shared_bytes(self) -> int:
        """Of a block."""

    @property
    def dynamic_shared_bytes(self) -> int:
        """Of a block."""

    @property
    def local_bytes(self) -> int:
        """Of a thread."""

    @property
    def bytes(self) -> int:
        """Of copies and fills."""

    @property
    def direction(self) -> str:
        """
        Of a copy: "host to device", "device to host", "on the device", "on the host", "between devices".
        """

    @property
    def bytes_per_second(self) -> float:
        """Of copies and fills; 0 where the duration is."""

    def __repr__(self) -> str: ...

class Profile:
    """
    A device's operations inside a `with` block, with times. Created by ww.profile(); has its records when the block has ended.
    """

    def __init__(self, no: NoReturn, /) -> None: ...

    def __enter__(self) -> Profile: ...

    def __exit__(self, type: object, value: object, traceback: object) -> None: ...

    def __repr__(self) -> str: ...

    @property
    def device(self) -> str:
        """The device's name."""

    @property
    def source(self) -> str:
        """Where the times come from: "cupti", "events" or "clock"."""

    @property
    def note(self) -> str:
        """Why it is that source, and what is missing; empty otherwise."""

    @property
    def records(self) -> list[ProfileRecord]:
        """All records, in order of their start."""

    def table(self) -> str:
        """
        A text: for each name how often, total, mean and share of the time; the longest first.
        """

    def trace(self) -> str:
        """
        Chrome's trace events (JSON), for ui.perfetto.dev and chrome://tracing.
        """

    def save(self, path: str) -> None:
        """Writes trace() into a file."""

    def plot(self, ax: Any = None) -> Any:
        """
        Draws the time line with matplotlib: a row for each stream and each thread with ranges, a colour for each of the names that took longest. Returns the Axes: `ax`, or those of a new figure. Raises UnsupportedError without matplotlib (pip install warpwise[plot]).
        """

def profile(*, device: Device | None = None, source: str = '') -> Profile:
    """
    Records what a device (default: the current one) does inside `with ww.profile() as p:`; leaving the block waits for it. `source` is "cupti" or "events" on a GPU, "clock" on the CPU device; default: the best available. Raises ArgumentError for another source and inside another profile of the device, DeviceError when CUPTI was requested and is not found or refuses.
    """

def push_range(name: str) -> None:
    """Begins a range of this thread; ww.range does both."""

def pop_range() -> None:
    """Ends the innermost range of this thread that push_range() began."""

def mark(name: str) -> None:
    """A point in time, for profiles and for tools that listen to NVTX."""

class CudaDriver:
    """NVIDIA's driver."""

    def __init__(self, no: NoReturn, /) -> None: ...

    @property
    def is_usable(self) -> bool: ...

    @property
    def reason(self) -> str:
        """Why it is not usable."""

    @property
    def version(self) -> str:
        """NVIDIA's own: "580.95.05"; empty where unknown."""

    @property
    def cuda(self) -> str:
        """The newest CUDA version it supports: "13.0"."""

    @property
    def path(self) -> str:
        """Of the library."""

    def __repr__(self) -> str: ...

class CudaLibrary:
    """A library of the CUDA toolkit."""

    def __init__(self, no: NoReturn, /) -> None: ...

    @property
    def name(self) -> str:
        """"cublas"."""

    @property
    def title(self) -> str:
        """"cuBLAS"."""

    @property
    def version(self) -> str:
        """Empty when it is not usable."""

    @property
    def path(self) -> str:
        """Empty when it is not found."""

    @property
    def reason(self) -> str:
        """Why it is not usable, and what to install."""

    def __repr__(self) -> str: ...

def cuda_driver() -> CudaDriver:
    """NVIDIA's driver: its versions, or why it is not usable."""

def cuda_libraries() -> list[CudaLibrary]:
    """
    The libraries of the CUDA toolkit that Warpwise supports, each with its version and path, or why it is not usable. Opens those it finds.
    """

def cuda_library(name: str) -> CudaLibrary:
    """
    One of them by name: "cublas". Raises DeviceError with what to install when it is missing, ArgumentError for an unknown name.
    """
