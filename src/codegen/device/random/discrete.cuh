// Numbers of any discrete distribution, by its distribution function; one draw each.
#pragma once

#include "poisson.cuh"

namespace __ww {

// The least number whose distribution function reaches u.
__WW_BOTH unsigned int discrete_of(double u, curandDiscreteDistribution_t distribution) {
    unsigned int low = 0u, high = distribution->count - 1u;
    while (low < high) {
        unsigned int middle = low + (high - low) / 2u;
        if (distribution->function[middle] < u) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return distribution->first + low;
}

}  // namespace __ww

#define __WW_DISCRETE(state_type)                                                       \
    __WW_BOTH unsigned int curand_discrete(state_type* state,                           \
                                           curandDiscreteDistribution_t distribution) { \
        return __ww::discrete_of(__ww::middle_of(curand(state)), distribution);         \
    }
__WW_DISCRETE(curandStateXORWOW)
__WW_DISCRETE(curandStatePhilox4_32_10)
__WW_DISCRETE(curandStateMRG32k3a)
__WW_DISCRETE(curandStateSobol32)
__WW_DISCRETE(curandStateScrambledSobol32)
__WW_DISCRETE(curandStateSobol64)
__WW_DISCRETE(curandStateScrambledSobol64)
#undef __WW_DISCRETE

__WW_BOTH uint4 curand_discrete4(curandStatePhilox4_32_10* state,
                                 curandDiscreteDistribution_t distribution) {
    uint4 words = curand4(state);
    return make_uint4(__ww::discrete_of(__ww::middle_of(words.x), distribution),
                      __ww::discrete_of(__ww::middle_of(words.y), distribution),
                      __ww::discrete_of(__ww::middle_of(words.z), distribution),
                      __ww::discrete_of(__ww::middle_of(words.w), distribution));
}
