export interface Links {
  readonly own: readonly string[];
  readonly taken: readonly { readonly target: string; readonly name: string }[];
}

export function linksOf(path: string, text?: string): Links;
export function unusedExports(): string[];
