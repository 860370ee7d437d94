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
        for (int i20 = 0; i20 < 4; i20++) {
          for (int i21 = 0; i21 < 32; i21++) {
            for (int i22 = 0; i22 < 32; i22++) {
              t0[i22 + 32 * i21] += a[i20 + 4 * i17 + 1024 * i21 + 32768 * i3] * b[i22 + 32 * i8 + 1024 * i20 + 4096 * i17];
            }
          }
        }
      }
      for (int i29 = 0; i29 < 32; i29++) {
        for (int i30 = 0; i30 < 32; i30++) {
          output[i30 + 32 * i8 + 1024 * i29 + 32768 * i3] = t0[i30 + 32 * i29];
        }
      }
    }
  }
}
