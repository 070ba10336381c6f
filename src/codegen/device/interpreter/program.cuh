// What the interpreter on a GPU is given at each launch: the steps of a group in place of a kernel
// of its own, with the launch's operands. The host packs it (src/codegen/interpret/gpu_program.cpp)
// and includes this file too.
//
// A value is a slot of eight bytes for each thread: a bool as 0 or 1, narrower values in the low
// bytes. A slot is written once before it is read; slots are used again.
#pragma once

// The kinds of elements that are interpreted, in the order of interpret::ElementKind.
enum { __ww_bool, __ww_int32, __ww_int64, __ww_float32, __ww_float64, __ww_kinds };

// The codes of steps. The steps of ops come behind: __ww_first_op + op * __ww_kinds + kind.
enum {
    __ww_step_scalar,                                 // the word `number`
    __ww_step_index,                                  // the coordinate along axis `number`
    __ww_step_result,                                 // of reducer `number`
    __ww_step_bound,                                  // as ir::Instruction::Form::Bound
    __ww_step_load,                                   // of the operand at `number`, by kind
    __ww_step_gather = __ww_step_load + __ww_kinds,   // the same, slot `a` bytes further
    __ww_step_store = __ww_step_gather + __ww_kinds,  // slot `a`
    __ww_step_cast = __ww_step_store + __ww_kinds,    // from kind * __ww_kinds + to kind
    __ww_first_op = __ww_step_cast + __ww_kinds * __ww_kinds
};

// Where an operand of a load or store lies: `b` of its step.
enum { __ww_at_point, __ww_at_coordinates, __ww_at_origin };

// One word of a program.
struct __ww_step {
    unsigned short code;
    unsigned short number;  // of a word, axis or reducer
    unsigned char to, a, b, c;
};

// One word: Reduce * __ww_kinds + kind, the slot of the element, and where its state begins among
// the words of all states.
struct __ww_reducer {
    unsigned short code;
    unsigned short unused;
    unsigned char value, state, words, nothing;
};

// By value: a launch's parameters are 4,096 bytes at most.
enum { __ww_program_words = 500 };
struct __ww_program {
    unsigned long long points, kept, reduced, parts, length;
    unsigned long long workspace, counters, report;
    unsigned short lanes;      // of a reduction, 0 of elementwise programs
    unsigned short rank;       // extents are the first words
    unsigned short kept_axes;  // the first of them
    unsigned short body;       // the first step; behind the last one the epilogue begins
    unsigned short epilogue;
    unsigned short end;
    unsigned short reducers;     // the first one; they end where the body begins
    unsigned short state_words;  // of all reducers
    unsigned short coordinates;  // the first of `rank` slots
    unsigned short states;       // the first slot; those of a batch come behind
    unsigned short needs_coordinates;
    unsigned short unused;
    // Extents, operands (an address, then strides in bytes where it is found by coordinates),
    // scalars, reducers, steps.
    unsigned long long words[__ww_program_words - 11];
};
