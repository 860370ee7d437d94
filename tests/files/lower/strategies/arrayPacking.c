// matmul: m.k.f32 -> k.n.f32 -> m.n.f32
// m = 1024, k = 1024, n = 1024

#include <stdio.h>
#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#else
#define omp_get_max_threads() 1
#endif

#if __STDC_VERSION__ < 201112L
#error "aligned_alloc is a function of C11: compile this file with -std=c11 or a later one"
#endif

static void* allocate(size_t bytes) {
  void* memory = aligned_alloc(64, (bytes / 64 + 1) * 64);
  if (memory == NULL) {
    fprintf(stderr, "out of memory: %zu bytes\n", bytes);
    abort();
  }
  return memory;
}

static void matmul_chunk0(int begin, int end, const float* restrict b, float* restrict t0) {
  for (int i3 = begin; i3 < end; i3++) {
    for (int i4 = 0; i4 < 1024; i4++) {
      #pragma omp simd
      for (int i35 = 0; i35 < 32; i35++) {
        t0[i35 + 32 * i4 + 32768 * i3] = b[i35 + 32 * i3 + 1024 * i4];
      }
    }
  }
}

void matmul(float* restrict output, const float* restrict a, const float* restrict b) {
  float* restrict t0 = allocate(sizeof(float) * 1048576);
  {
    int threads = omp_get_max_threads();
    #pragma omp parallel for
    for (int thread = 0; thread < threads; thread++) {
      matmul_chunk0(32L * thread / threads, 32L * (thread + 1) / threads, b, t0);
    }
  }
  for (int i10 = 0; i10 < 32; i10++) {
    for (int i15 = 0; i15 < 32; i15++) {
      _Alignas(64) float t1[1024];
      for (int i20 = 0; i20 < 32; i20++) {
        for (int i23 = 0; i23 < 32; i23++) {
          t1[i23 + 32 * i20] = 0.0f;
        }
      }
      for (int i24 = 0; i24 < 256; i24++) {
        for (int i25 = 0; i25 < 32; i25++) {
          _Alignas(64) float t2[32];
          for (int i26 = 0; i26 < 32; i26++) {
            t2[i26] = t1[i26 + 32 * i25];
          }
          for (int i27 = 0; i27 < 4; i27++) {
            #pragma omp simd
            for (int i36 = 0; i36 < 32; i36++) {
              t2[i36] += a[i27 + 4 * i24 + 1024 * i25 + 32768 * i10] * t0[i36 + 32 * i27 + 128 * i24 + 32768 * i15];
            }
          }
          for (int i30 = 0; i30 < 32; i30++) {
            t1[i30 + 32 * i25] = t2[i30];
          }
        }
      }
      for (int i33 = 0; i33 < 32; i33++) {
        for (int i34 = 0; i34 < 32; i34++) {
          output[i34 + 32 * i15 + 1024 * i33 + 32768 * i10] = t1[i34 + 32 * i33];
        }
      }
    }
  }
  free(t0);
}
