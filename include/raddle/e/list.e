// Linked lists: next_[i] is the element after i, or i itself at the end.

// rank_[i] := how many elements come after i. Pointer jumping, O(log n) steps; next_ is used up.
void rank_list(int next_[], int rank_[], int n) {
  #n: rank_[$] = next_[$] == $ ? 0 : 1;
  for (int reach = 1; reach < n; reach += reach) {
    #n: {
      int next$ = next_[$];
      rank_[$] += rank_[next$];
      next_[$] = next_[next$];
    }
  }
}
