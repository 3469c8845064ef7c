// How many bytes of each stretch of the log still belong to a message. The host says where stretches (log
// segments) begin; the table's comings and goings keep the sums. The cleaner reads them to choose what to clean.

export class BodyLedger {
  /** First entry of each stretch, ascending; the last is open-ended. */
  readonly #firstSeqs: number[] = [0];
  readonly #liveBytes: number[] = [0];
  /** Sends go to the newest stretch, and drains stay in one: remember the last answer. */
  #last = 0;

  /** From `firstSeq` on a new stretch begins. Told in ascending order, before anything is added to it. */
  begin(firstSeq: number): void {
    const last = this.#firstSeqs.length - 1;
    if ((this.#firstSeqs[last] as number) >= firstSeq) return;
    this.#firstSeqs.push(firstSeq);
    this.#liveBytes.push(0);
  }

  add(entrySeq: number, bytes: number): void {
    const index = this.#find(entrySeq);
    this.#liveBytes[index] = (this.#liveBytes[index] as number) + bytes;
  }

  remove(entrySeq: number, bytes: number): void {
    this.add(entrySeq, -bytes);
  }

  /** Live bytes of the stretch that `firstSeq` began. */
  liveBytes(firstSeq: number): number {
    return this.#liveBytes[this.#find(firstSeq)] as number;
  }

  /** Forgets the stretch that begins at `firstSeq`: its bytes, none of them live, join the one before. */
  forget(firstSeq: number): void {
    const index = this.#firstSeqs.indexOf(firstSeq);
    if (index <= 0) return;
    this.#liveBytes[index - 1] = (this.#liveBytes[index - 1] as number) + (this.#liveBytes[index] as number);
    this.#firstSeqs.splice(index, 1);
    this.#liveBytes.splice(index, 1);
    this.#last = 0;
  }

  #find(entrySeq: number): number {
    const firstSeqs = this.#firstSeqs;
    const last = this.#last;
    if ((firstSeqs[last] as number) <= entrySeq && entrySeq < (firstSeqs[last + 1] ?? Number.POSITIVE_INFINITY)) return last;
    let low = 0;
    let high = firstSeqs.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((firstSeqs[middle] as number) <= entrySeq) low = middle;
      else high = middle - 1;
    }
    this.#last = low;
    return low;
  }
}
