// The names by which old sources ask for classes, from the headers CUDA had before C++11.
#pragma once

#ifndef __WW_NVRTC__  // which knows these
__WW_BOTH int __isnanf(float x) {
    return isnan(x) ? 1 : 0;
}
__WW_BOTH int __isinff(float x) {
    return isinf(x) ? 1 : 0;
}
__WW_BOTH int __finitef(float x) {
    return isfinite(x) ? 1 : 0;
}
__WW_BOTH int __signbitf(float x) {
    return signbit(x) ? 1 : 0;
}
__WW_BOTH int __isnan(double x) {
    return isnan(x) ? 1 : 0;
}
__WW_BOTH int __isinf(double x) {
    return isinf(x) ? 1 : 0;
}
__WW_BOTH int __finite(double x) {
    return isfinite(x) ? 1 : 0;
}
__WW_BOTH int __signbit(double x) {
    return signbit(x) ? 1 : 0;
}
#endif
__WW_BOTH int isnanf(float x) {
    return isnan(x) ? 1 : 0;
}
__WW_BOTH int isinff(float x) {
    return isinf(x) ? 1 : 0;
}
__WW_BOTH int finitef(float x) {
    return isfinite(x) ? 1 : 0;
}
__WW_BOTH int finite(double x) {
    return isfinite(x) ? 1 : 0;
}
__WW_BOTH int __signbitd(double x) {
    return signbit(x) ? 1 : 0;
}
__WW_BOTH int __isfinited(double x) {
    return isfinite(x) ? 1 : 0;
}
