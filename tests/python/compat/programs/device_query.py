"""A PyCUDA program: what every device is, as the tool of CUDA's samples lists it."""

import pycuda.driver as cuda
from pycuda import characterize
from pycuda.tools import DeviceData

SHOWN = (
    "ASYNC_ENGINE_COUNT", "CAN_MAP_HOST_MEMORY", "CLOCK_RATE", "COMPUTE_CAPABILITY_MAJOR",
    "COMPUTE_MODE", "CONCURRENT_KERNELS", "ECC_ENABLED", "GLOBAL_MEMORY_BUS_WIDTH",
    "L2_CACHE_SIZE", "MANAGED_MEMORY", "MAX_BLOCK_DIM_X", "MAX_GRID_DIM_X", "MAX_PITCH",
    "MAX_REGISTERS_PER_BLOCK", "MAX_SHARED_MEMORY_PER_BLOCK", "MAX_THREADS_PER_BLOCK",
    "MAX_THREADS_PER_MULTIPROCESSOR", "MEMORY_CLOCK_RATE", "MULTIPROCESSOR_COUNT",
    "SURFACE_ALIGNMENT", "TEXTURE_ALIGNMENT", "TOTAL_CONSTANT_MEMORY", "UNIFIED_ADDRESSING",
    "WARP_SIZE",
)  # fmt: skip

cuda.init()
assert cuda.get_version() >= (11, 0, 0)
print(f"driver {cuda.get_driver_version()}")
for ordinal in range(cuda.Device.count()):
    device = cuda.Device(ordinal)
    print(f"Device {ordinal}: {device.name()} at {device.pci_bus_id()}")
    print("  compute capability {}.{}".format(*device.compute_capability()))
    print(f"  memory: {device.total_memory() // 1024} KB")
    known = {str(name): value for name, value in device.get_attributes().items()}
    for name in sorted(SHOWN):
        print(f"  {name}: {known[name]}")
    assert len(known) >= 80
    assert device.warp_size == DeviceData(device).warp_size == 32
    assert device.max_block_dim_x >= device.max_threads_per_block >= 512
    context = device.make_context()
    free, total = cuda.mem_get_info()
    assert 0 < free <= total and cuda.Context.get_device() == device
    assert characterize.sizeof("void *") == characterize.platform_bits() // 8
    context.detach()
print("done")
