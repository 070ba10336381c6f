// What a user's x is where it is no pointer: an object that has x[i].
#pragma once

// One element, whatever the index: where the text uses x[i] alone, or all elements are the same.
template <class T>
struct __ww_one {
    T* place;
    __device__ __forceinline__ T& operator[](size_t) const { return *place; }
};
