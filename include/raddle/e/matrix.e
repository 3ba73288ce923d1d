// Matrices, as arrays with two indices.

// B_ := A_ with rows and columns exchanged: O(1) steps.
void transpose(int A_[][], int B_[][], int rows, int columns) {
  #rows * columns: B_[$ % columns][$ / columns] = A_[$ / columns][$ % columns];
}

// C_ := A_ B_ for A_[rows][inner], B_[inner][columns]: a fiber for each product, combined by multioperations. O(1) steps.
void multiply(int A_[][], int B_[][], int C_[][], int rows, int inner, int columns) {
  #rows * columns: C_[$ / columns][$ % columns] = 0;
  #rows * inner * columns: {
    int place$ = $ % (rows * columns), k$ = $ / (rows * columns);
    int row$ = place$ / columns, column$ = place$ % columns;
    fast_multi(ADD, C_[row$][column$], A_[row$][k$] * B_[k$][column$]);
  }
}

// The same for doubles: a fiber for each element of C_, O(inner) steps.
void multiply_double(double A_[][], double B_[][], double C_[][], int rows, int inner, int columns) {
  #rows * columns: {
    int row$ = $ / columns, column$ = $ % columns;
    double sum$;
    for (int k = 0; k < inner; k += 1) sum$ = fma(A_[row$][k], B_[k][column$], sum$);
    C_[row$][column$] = sum$;
  }
}
