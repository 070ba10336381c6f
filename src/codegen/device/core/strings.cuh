// C's memory and string functions that neither compiler knows by itself.
#pragma once

__WW_BOTH_LARGE int memcmp(const void* a, const void* b, size_t bytes) {
    const unsigned char* p = static_cast<const unsigned char*>(a);
    const unsigned char* q = static_cast<const unsigned char*>(b);
    for (size_t i = 0; i < bytes; ++i) {
        if (p[i] != q[i]) return p[i] < q[i] ? -1 : 1;
    }
    return 0;
}
__WW_BOTH_LARGE const void* memchr(const void* memory, int value, size_t bytes) {
    const unsigned char* p = static_cast<const unsigned char*>(memory);
    for (size_t i = 0; i < bytes; ++i) {
        if (p[i] == static_cast<unsigned char>(value)) return p + i;
    }
    return nullptr;
}
__WW_BOTH_LARGE size_t strlen(const char* text) {
    size_t length = 0;
    while (text[length] != '\0') ++length;
    return length;
}
__WW_BOTH_LARGE int strncmp(const char* a, const char* b, size_t limit) {
    for (size_t i = 0; i < limit; ++i) {
        unsigned char p = static_cast<unsigned char>(a[i]);
        unsigned char q = static_cast<unsigned char>(b[i]);
        if (p != q) return p < q ? -1 : 1;
        if (p == 0) return 0;
    }
    return 0;
}
__WW_BOTH int strcmp(const char* a, const char* b) {
    return strncmp(a, b, SIZE_MAX);
}
__WW_BOTH_LARGE char* strncpy(char* to, const char* from, size_t limit) {
    size_t i = 0;
    for (; i < limit && from[i] != '\0'; ++i) to[i] = from[i];
    for (; i < limit; ++i) to[i] = '\0';
    return to;
}
__WW_BOTH_LARGE char* strcpy(char* to, const char* from) {
    size_t i = 0;
    for (; from[i] != '\0'; ++i) to[i] = from[i];
    to[i] = '\0';
    return to;
}
__WW_BOTH char* strcat(char* to, const char* from) {
    strcpy(to + strlen(to), from);
    return to;
}
__WW_BOTH_LARGE const char* strchr(const char* text, int character) {
    for (;; ++text) {
        if (*text == static_cast<char>(character)) return text;
        if (*text == '\0') return nullptr;
    }
}
