"""A PyCUDA program: a sieve of Eratosthenes by strided launches, the primes moved together."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray
from pycuda.elementwise import ElementwiseKernel
from pycuda.scan import ExclusiveScanKernel

N = 20_000
is_prime = gpuarray.ones(N, np.int32)
cross_out = ElementwiseKernel("int *is_prime", "is_prime[i] = 0", "cross_out")
cross_out(is_prime, slice=slice(0, 2))
for factor in range(2, int(N**0.5) + 1):
    cross_out(is_prime, range=slice(factor * factor, N, factor))
places = is_prime.copy()
ExclusiveScanKernel(np.int32, "a+b", neutral="0")(places)
count = int(gpuarray.sum(is_prime).get())
primes = gpuarray.empty(count, np.int32)
collect = ElementwiseKernel(
    "int *is_prime, int *places, int *primes", "if (is_prime[i]) primes[places[i]] = i", "collect"
)
collect(is_prime, places, primes)
expected = [
    number for number in range(2, N) if all(number % d for d in range(2, int(number**0.5) + 1))
]
assert primes.get().tolist() == expected
gaps = primes[1:] - primes[:-1]
print(count, int(primes[-1].get()), "largest gap:", gpuarray.max(gaps).get())
print("done")
