"""A PyCUDA program: what every device is, as the tool of CUDA's samples lists it."""

import pycuda.driver as cuda
from pycuda import characterize
from pycuda.tools import DeviceData

cuda.init()
print(f"CUDA {'.'.join(map(str, cuda.get_version()))}, driver {cuda.get_driver_version()}")
for ordinal in range(cuda.Device.count()):
    device = cuda.Device(ordinal)
    print(f"Device {ordinal}: {device.name()} at {device.pci_bus_id()}")
    print("  compute capability {}.{}".format(*device.compute_capability()))
    print(f"  memory: {device.total_memory() // 1024} KB")
    known = sorted((str(name), value) for name, value in device.get_attributes().items())
    for name, value in known:
        print(f"  {name}: {value}")
    assert len(known) >= 80
    assert device.warp_size == DeviceData(device).warp_size == 32
    assert device.max_block_dim_x >= device.max_threads_per_block >= 512
    context = device.make_context()
    free, total = cuda.mem_get_info()
    assert 0 < free <= total and cuda.Context.get_device() == device
    assert characterize.sizeof("void *") == characterize.platform_bits() // 8
    context.detach()
print("done")
