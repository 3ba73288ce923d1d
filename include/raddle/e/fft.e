// The discrete Fourier transform of n complex doubles, n = 2^log_n, by Stockham's algorithm, which needs no reversal of bits: O(log n)
// steps. The input is re_[0][…], im_[0][…]; the result is in row log_n % 2. cos_[i], sin_[i] hold cos(2πi/n) and sin(2πi/n), i < n / 2.
void fft(double re_[][], double im_[][], double cos_[], double sin_[], int log_n) {
  int half = 1 << (log_n - 1);
  int from = 0;
  for (int s = 0; s < log_n; s += 1) {
    int m = 1 << s;
    #half: {
      int k$ = $ & (m - 1);
      int jm$ = $ - k$;
      double ar$ = re_[from][$], ai$ = im_[from][$];
      double br$ = re_[from][$ + half], bi$ = im_[from][$ + half];
      double wr$ = cos_[jm$], wi$ = -sin_[jm$];
      double dr$ = ar$ - br$, di$ = ai$ - bi$;
      re_[1 - from][$ + jm$] = ar$ + br$;
      im_[1 - from][$ + jm$] = ai$ + bi$;
      re_[1 - from][$ + jm$ + m] = dr$ * wr$ - di$ * wi$;
      im_[1 - from][$ + jm$ + m] = dr$ * wi$ + di$ * wr$;
    }
    from = 1 - from;
  }
}
