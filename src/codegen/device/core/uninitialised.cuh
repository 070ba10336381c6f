// Shared memory for an object whose constructor does not run, as the front end writes the variables
// in shared memory that nvcc accepts with a warning.
#pragma once

template <class T>
union __ww_uninitialised {
    T value;
    __device__ __ww_uninitialised() {}
    __device__ ~__ww_uninitialised() {}
};
