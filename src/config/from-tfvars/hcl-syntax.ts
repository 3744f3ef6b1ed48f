/** The part of HCL that variable files are written in: literals, lists, objects, templates and `local.` references. */

/** Offsets into the text of the file. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export type Expression = Span &
  (
    | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
    | { readonly kind: 'template'; readonly parts: readonly (string | Expression)[] }
    | { readonly kind: 'list'; readonly items: readonly Expression[] }
    | { readonly kind: 'object'; readonly entries: readonly Attribute[] }
    /** `local.name.key` */
    | { readonly kind: 'local'; readonly path: readonly string[] }
    /** Refused, and reported where it stands. */
    | { readonly kind: 'refused' }
  );

export interface Attribute {
  readonly name: string;
  readonly nameSpan: Span;
  readonly value: Expression;
}

export interface HclFile {
  readonly attributes: readonly Attribute[];
  readonly locals: readonly Attribute[];
  readonly problems: readonly HclProblem[];
}

export interface HclProblem {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly offset: number;
}

/** Text that cannot be read on: nothing after it can be trusted. */
export class HclSyntaxError extends Error {
  constructor(readonly problem: HclProblem) {
    super(problem.message);
  }
}
