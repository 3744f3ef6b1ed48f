export interface CodeLine {
  readonly line: number;
  readonly text: string;
}

export interface Place {
  readonly name: string;
  readonly line: number;
}

export interface Repeat {
  readonly lines: number;
  readonly first: Place;
  readonly second: Place;
}

export function codeLines(text: string): CodeLine[];
export function repeats(
  files: readonly { readonly name: string; readonly lines: readonly CodeLine[] }[],
  longest?: number,
): Repeat[];
export function productRepeats(): Repeat[];
