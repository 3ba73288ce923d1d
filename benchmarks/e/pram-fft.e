// The Fourier transform of N = 2^log_n complex numbers, compared with the sums that define it.
#include <fft.e>
param log_n = 7;
const N = 1 << log_n, PI = 3.141592653589793;
double re_[2][N] = [$ < N ? random(1, -100, 100) / 16.0 : 0], im_[2][N] = [$ < N ? random(2, -100, 100) / 16.0 : 0];
double cos_[N / 2] = [cos(2 * PI * $ / N)], sin_[N / 2] = [sin(2 * PI * $ / N)];

fft(re_, im_, cos_, sin_, log_n);

check {
  double worst = 0;
  for (int k = 0; k < N; k += 1) {
    double re = 0, im = 0;
    for (int i = 0; i < N; i += 1) {
      double angle = -2 * PI * (i * k % N) / N;
      re += initial(re_[0][i]) * cos(angle) - initial(im_[0][i]) * sin(angle);
      im += initial(re_[0][i]) * sin(angle) + initial(im_[0][i]) * cos(angle);
    }
    worst = max(worst, max(abs(re_[log_n % 2][k] - re), abs(im_[log_n % 2][k] - im)));
  }
  assert(worst < 1e-9 * N, "the transform is right");
}
