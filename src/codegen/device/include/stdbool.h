// bool is a word of C++; C headers say _Bool.
#pragma once
#define _Bool bool
#define __bool_true_false_are_defined 1
