// matmul: m.k.f32 -> k.n.f32 -> m.n.f32
// m = 1024, k = 1024, n = 1024

void matmul(float* restrict output, const float* restrict a, const float* restrict b) {
  for (int i3 = 0; i3 < 32; i3++) {
    for (int i8 = 0; i8 < 32; i8++) {
      _Alignas(64) float t0[1024];
      for (int i13 = 0; i13 < 32; i13++) {
        for (int i16 = 0; i16 < 32; i16++) {
          t0[i16 + 32 * i13] = 0.0f;
        }
      }
      for (int i17 = 0; i17 < 256; i17++) {
        for (int i18 = 0; i18 < 32; i18++) {
          _Alignas(64) float t1[32];
          for (int i19 = 0; i19 < 32; i19++) {
            t1[i19] = t0[i19 + 32 * i18];
          }
          for (int i20 = 0; i20 < 4; i20++) {
            #pragma omp simd
            for (int i28 = 0; i28 < 32; i28++) {
              t1[i28] += a[i20 + 4 * i17 + 1024 * i18 + 32768 * i3] * b[i28 + 32 * i8 + 1024 * i20 + 4096 * i17];
            }
          }
          for (int i23 = 0; i23 < 32; i23++) {
            t0[i23 + 32 * i18] = t1[i23];
          }
        }
      }
      for (int i26 = 0; i26 < 32; i26++) {
        for (int i27 = 0; i27 < 32; i27++) {
          output[i27 + 32 * i8 + 1024 * i26 + 32768 * i3] = t0[i27 + 32 * i26];
        }
      }
    }
  }
}
