/** What a step reads and writes of the state that a plan walks through. */
export interface Access {
  /** `power 151`, `drive 151 0x3…`, `cordon work-1` */
  readonly key: string;
  /** Values it can work with; absent: any, as long as it is settled by then. */
  readonly is?: readonly string[];
  /** The value afterwards; absent: it only reads. */
  readonly sets?: string;
}

export const reads = (key: string, ...is: readonly string[]): Access => ({
  key,
  ...(is.length > 0 && { is }),
});

/** `is`: what it must be before; none: whatever it is. */
export const writes = (key: string, sets: string, ...is: readonly string[]): Access => ({
  key,
  sets,
  ...(is.length > 0 && { is }),
});
