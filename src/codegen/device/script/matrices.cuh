// Small square matrices: determinants and systems of equations, by elimination with the largest
// pivot of each column, in memory of the calling thread.
#pragma once

#include "arrays.cuh"
#include "conversions.cuh"

// The rows of a matrix of kRows rows and a right side of kMore columns become those of the identity
// and the solution; the determinant of the matrix, 0 where it has no inverse.
template <int kRows, int kMore, class T>
__WW_PY T __ww_py_matrix_eliminate(T (&rows)[kRows][kRows + kMore]) {
    T determinant = 1;
    for (int k = 0; k < kRows; ++k) {
        int pivot = k;
        for (int i = k + 1; i < kRows; ++i) {
            if (::fabs(rows[i][k]) > ::fabs(rows[pivot][k])) pivot = i;
        }
        if (rows[pivot][k] == 0) return 0;
        for (int j = 0; j < kRows + kMore; ++j) {
            const T kept = rows[k][j];
            rows[k][j] = rows[pivot][j];
            rows[pivot][j] = kept;
        }
        determinant *= pivot == k ? rows[k][k] : -rows[k][k];
        for (int i = k + 1; i < kRows; ++i) {
            const T factor = rows[i][k] / rows[k][k];
            for (int j = k; j < kRows + kMore; ++j) rows[i][j] -= factor * rows[k][j];
        }
    }
    for (int j = kRows; j < kRows + kMore; ++j) {
        for (int i = kRows; i-- > 0;) {
            for (int k = i + 1; k < kRows; ++k) rows[i][j] -= rows[i][k] * rows[k][j];
            rows[i][j] /= rows[i][i];
        }
    }
    return determinant;
}

template <int kRows, class T, class Array>
__WW_PY T __ww_py_matrix_det(const Array& array) {
    T rows[kRows][kRows];
    for (int i = 0; i < kRows; ++i) {
        for (int j = 0; j < kRows; ++j) rows[i][j] = __ww_py_to<T>(__ww_py_loaded(array(i, j)));
    }
    return __ww_py_matrix_eliminate<kRows, 0>(rows);
}

// False where the matrix has no inverse.
template <int kRows, class T, class Array>
__WW_PY bool __ww_py_matrix_inverse(const __ww_py_array<T, 2>& to, const Array& array) {
    T rows[kRows][2 * kRows];
    for (int i = 0; i < kRows; ++i) {
        for (int j = 0; j < kRows; ++j) {
            rows[i][j] = __ww_py_to<T>(__ww_py_loaded(array(i, j)));
            rows[i][kRows + j] = i == j;
        }
    }
    const bool has_one = __ww_py_matrix_eliminate<kRows, kRows>(rows) != 0;
    for (int i = 0; i < kRows; ++i) {
        for (int j = 0; j < kRows; ++j) to(i, j) = rows[i][kRows + j];
    }
    return has_one;
}

// Of one right side, or of one in each column.
template <int kRows, int kMore, class T, int N, class A, class B>
__WW_PY bool __ww_py_matrix_solve(const __ww_py_array<T, N>& to, const A& array, const B& right) {
    T rows[kRows][kRows + kMore];
    for (int i = 0; i < kRows; ++i) {
        for (int j = 0; j < kRows; ++j) rows[i][j] = __ww_py_to<T>(__ww_py_loaded(array(i, j)));
        for (int j = 0; j < kMore; ++j) {
            if constexpr (N == 1) {
                rows[i][kRows] = __ww_py_to<T>(__ww_py_loaded(right[i]));
            } else {
                rows[i][kRows + j] = __ww_py_to<T>(__ww_py_loaded(right(i, j)));
            }
        }
    }
    const bool has_one = __ww_py_matrix_eliminate<kRows, kMore>(rows) != 0;
    for (int i = 0; i < kRows; ++i) {
        for (int j = 0; j < kMore; ++j) {
            if constexpr (N == 1) {
                to[i] = rows[i][kRows];
            } else {
                to(i, j) = rows[i][kRows + j];
            }
        }
    }
    return has_one;
}

// The array, where a check has passed.
template <class Array>
__WW_PY Array __ww_py_matrix_of(const Array& array, bool) {
    return array;
}

template <class To, class Array>
__WW_PY To __ww_py_matrix_trace(const Array& array) {
    To result{};
    const long long count = array.shape[0] < array.shape[1] ? array.shape[0] : array.shape[1];
    for (long long i = 0; i < count; ++i) {
        result = result + __ww_py_to<To>(__ww_py_loaded(array(i, i)));
    }
    return result;
}
