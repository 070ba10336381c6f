// Clocks and pauses.
#pragma once

typedef long clock_t;

__WW_DEVICE long long clock64() {
    return static_cast<long long>(__ww_clock64());
}
__WW_DEVICE clock_t clock() {
    return static_cast<clock_t>(__ww_clock64());
}
__WW_DEVICE unsigned long long __globaltimer() {
    return __ww_globaltimer();
}
__WW_DEVICE unsigned long long __nanotime() {
    return __ww_globaltimer();
}
__WW_DEVICE void __nanosleep(unsigned int nanoseconds) {
    __ww_nanosleep(nanoseconds);
}
