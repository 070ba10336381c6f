// <assert.h> for device code. No include guard: C lets NDEBUG change between two inclusions.
#undef assert
#ifdef NDEBUG
#define assert(condition) (static_cast<void>(0))
#elif defined(__WW_NVRTC__)
#define assert(condition)         \
    (static_cast<bool>(condition) \
         ? static_cast<void>(0)   \
         : __assertfail(#condition, __FILE__, __LINE__, __PRETTY_FUNCTION__, 1))
#else
#define assert(condition)         \
    (static_cast<bool>(condition) \
         ? static_cast<void>(0)   \
         : __ww_assert_fail(#condition, __FILE__, __LINE__, __PRETTY_FUNCTION__))
#endif
