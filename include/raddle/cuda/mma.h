// nvcuda::wmma: matrices that a warp multiplies together. A fragment is spread over the lanes as
// mma.sync wants it (PTX ISA, "Matrix Fragments for mma"), so that mma_sync() is one or two of that
// instruction and loads and stores are plain ones. CUDA leaves that layout open; fragments of
// halves have no element twice here, as they have on some devices.
#ifndef RADDLE_CUDA_MMA_H
#define RADDLE_CUDA_MMA_H
#define __CUDA_MMA_H__  // programs test for it

#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__)

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"

#define RADDLE_WMMA __inline__ __attribute__((device, always_inline, nodebug))

namespace nvcuda {
namespace wmma {

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32;
}
namespace experimental {
namespace precision {
struct u4;
struct s4;
struct b1;
}  // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}  // namespace experimental

namespace details {

RADDLE_WMMA unsigned int lane() { return (unsigned int)__nvvm_read_ptx_sreg_laneid(); }

// What an element takes in memory and in a register, and how many numbers one of x[] holds.
template <class T>
struct element {
  typedef T type;
  static const int per_x = 1, bits = 8 * sizeof(T);
};
template <>
struct element<precision::tf32> {
  typedef float type;
  static const int per_x = 1, bits = 32;
};
template <>
struct element<experimental::precision::s4> {
  typedef int type;
  static const int per_x = 8, bits = 4;
};
template <>
struct element<experimental::precision::u4> {
  typedef unsigned int type;
  static const int per_x = 8, bits = 4;
};
template <>
struct element<experimental::precision::b1> {
  typedef unsigned int type;
  static const int per_x = 32, bits = 1;
};

// A multiplication of m x n x k is done in pieces of 16 or 8 lines (rows of A, columns of B) by 8.
// Where A has but 8 rows and B more columns, the two change places and the result is transposed.
template <int m, int n>
struct pieces {
  static const bool swapped = m < n && n == 32;
  static const int a_lines = m >= 16 ? 16 : 8;
  static const int b_lines = swapped ? 16 : 8;
  static const int a = m / a_lines, b = n / b_lines;
  static const int left_lines = swapped ? b_lines : a_lines;
  static const int c = a * b;  // of which one is 1 or both are
};

template <class Use, int m, int n>
struct operand;
template <int m, int n>
struct operand<matrix_a, m, n> {
  static const int lines = m, piece_lines = pieces<m, n>::a_lines;
};
template <int m, int n>
struct operand<matrix_b, m, n> {
  static const int lines = n, piece_lines = pieces<m, n>::b_lines;
};

// Whether elements along k are neighbours in memory.
template <class Use, class Layout>
struct along_k {
  static const bool value = false;
};
template <>
struct along_k<matrix_a, row_major> {
  static const bool value = true;
};
template <>
struct along_k<matrix_b, col_major> {
  static const bool value = true;
};

}  // namespace details

// --- fragments -------------------------------------------------------------------------------------------------------
template <class Use, int m, int n, int k, class T, class Layout = void>
class fragment {
  typedef details::element<T> element;
  typedef details::operand<Use, m, n> operand;

 public:
  typedef typename element::type element_type, storage_element_type;
  static const int num_elements = operand::lines * k / 32 / element::per_x;
  static const int num_storage_elements = num_elements;
  element_type x[num_elements];

  static const int numbers_per_word = 32 / (element::bits > 32 ? 32 : element::bits);
  static const int words = operand::lines * k / 32 / numbers_per_word;

  // The line and the place along k of the first number of a word.
  static RADDLE_WMMA int line_of(int word) {
    const int halves = operand::piece_lines / 8,
              piece_words = operand::piece_lines * k / 32 / numbers_per_word;
    return word / piece_words * operand::piece_lines + (int)(details::lane() >> 2) +
           word % piece_words % halves * 8;
  }
  static RADDLE_WMMA int place_of(int word) {
    const int halves = operand::piece_lines / 8,
              piece_words = operand::piece_lines * k / 32 / numbers_per_word;
    return (word % piece_words / halves * 4 + (int)(details::lane() & 3)) * numbers_per_word;
  }
};

template <int m, int n, int k, class T>
class fragment<accumulator, m, n, k, T, void> {
  typedef details::pieces<m, n> pieces;

 public:
  typedef T element_type, storage_element_type;
  static const int num_elements = m * n / 32;
  static const int num_storage_elements = num_elements;
  T x[num_elements];

  static RADDLE_WMMA int row_of(int index) { return pieces::swapped ? along(index) : down(index); }
  static RADDLE_WMMA int column_of(int index) {
    return pieces::swapped ? down(index) : along(index);
  }

 private:
  static const int piece_elements = num_elements / pieces::c;
  static RADDLE_WMMA int down(int index) {
    const int piece = (pieces::swapped ? pieces::b : pieces::a) > 1 ? index / piece_elements : 0;
    return piece * pieces::left_lines + (int)(details::lane() >> 2) +
           index % piece_elements / 2 * 8;
  }
  static RADDLE_WMMA int along(int index) {
    const int piece = (pieces::swapped ? pieces::a : pieces::b) > 1 ? index / piece_elements : 0;
    return piece * 8 + (int)(details::lane() & 3) * 2 + index % 2;
  }
};

template <class Use, int m, int n, int k, class T, class Layout, class V>
RADDLE_WMMA void fill_fragment(fragment<Use, m, n, k, T, Layout>& target, const V& value) {
#pragma unroll
  for (int i = 0; i < target.num_elements; ++i)
    target.x[i] = (typename fragment<Use, m, n, k, T, Layout>::element_type)value;
}

// --- loads and stores ------------------------------------------------------------------------------------------------
template <class Use, int m, int n, int k, class T, class Layout>
RADDLE_WMMA void load_matrix_sync(fragment<Use, m, n, k, T, Layout>& target, const void* source,
                                  unsigned int stride) {
  typedef fragment<Use, m, n, k, T, Layout> Target;
  typedef typename Target::element_type Element;
  if constexpr (details::element<T>::bits < 8) {  // such matrices lie along k alone
    const unsigned int* words = (const unsigned int*)source;
#pragma unroll
    for (int w = 0; w < Target::words; ++w)
      target.x[w] = (Element)
          words[(Target::line_of(w) * stride + Target::place_of(w)) / Target::numbers_per_word];
  } else if constexpr (details::along_k<Use, Layout>::value && sizeof(Element) < 4) {
    const Element* numbers = (const Element*)source;
#pragma unroll
    for (int w = 0; w < Target::words; ++w) {
      const unsigned int word =
          *(const unsigned int*)(numbers + Target::line_of(w) * stride + Target::place_of(w));
      __builtin_memcpy(&target.x[w * Target::numbers_per_word], &word, sizeof(word));
    }
  } else {
    const Element* numbers = (const Element*)source;
#pragma unroll
    for (int i = 0; i < Target::num_elements; ++i) {
      const int w = i / Target::numbers_per_word;
      const int place = Target::place_of(w) + i % Target::numbers_per_word;
      target.x[i] = details::along_k<Use, Layout>::value
                        ? numbers[Target::line_of(w) * stride + place]
                        : numbers[place * stride + Target::line_of(w)];
    }
  }
}
template <int m, int n, int k, class T>
RADDLE_WMMA void load_matrix_sync(fragment<accumulator, m, n, k, T>& target, const T* source,
                                  unsigned int stride, layout_t layout) {
#pragma unroll
  for (int i = 0; i < target.num_elements; ++i) {
    const int row = target.row_of(i), column = target.column_of(i);
    target.x[i] = source[layout == mem_row_major ? row * stride + column : column * stride + row];
  }
}
template <int m, int n, int k, class T>
RADDLE_WMMA void store_matrix_sync(T* target, const fragment<accumulator, m, n, k, T>& source,
                                   unsigned int stride, layout_t layout) {
#pragma unroll
  for (int i = 0; i < source.num_elements; ++i) {
    const int row = source.row_of(i), column = source.column_of(i);
    target[layout == mem_row_major ? row * stride + column : column * stride + row] = source.x[i];
  }
}

RADDLE_WMMA float __float_to_tf32(float value) {
  float result;
  __asm__("cvt.rna.tf32.f32 %0, %1;" : "=f"(result) : "f"(value));
  return result;
}

}  // namespace wmma
}  // namespace nvcuda

#include "wmma/multiply.h"

#undef RADDLE_WMMA

#endif
#endif
