/** Texts in TypeScript source as its scanner sees them: strings and the fixed parts of templates, with where they stand. */
import { SyntaxKind } from 'typescript/unstable/ast';
import { createScanner } from 'typescript/unstable/ast/scanner';

export interface Literal {
  /** Its first character in the source. */
  readonly at: number;
  readonly text: string;
}

const TEXTS = new Set([
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateHead,
  SyntaxKind.TemplateMiddle,
  SyntaxKind.TemplateTail,
]);

/** After these a slash divides; anywhere else it begins a regular expression. */
const ENDS_OF_VALUES = new Set([
  SyntaxKind.Identifier,
  SyntaxKind.NumericLiteral,
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateTail,
  SyntaxKind.CloseParenToken,
  SyntaxKind.CloseBracketToken,
  SyntaxKind.CloseBraceToken,
]);

export function stringLiterals(source: string): Literal[] {
  const scanner = createScanner(true);
  scanner.setText(source);
  const literals: Literal[] = [];
  /** Of each open template: how many braces are open in its expression. */
  const templates: number[] = [];
  let before = SyntaxKind.Unknown;
  for (let token = scanner.scan(); token !== SyntaxKind.EndOfFile; token = scanner.scan()) {
    const open = templates.at(-1);
    if (token === SyntaxKind.SlashToken && !ENDS_OF_VALUES.has(before)) token = scanner.reScanSlashToken();
    if (token === SyntaxKind.CloseBraceToken && open === 0) {
      token = scanner.reScanTemplateToken(false);
      if (token === SyntaxKind.TemplateTail) templates.pop();
    } else if (open !== undefined && token === SyntaxKind.OpenBraceToken)
      templates[templates.length - 1] = open + 1;
    else if (open !== undefined && token === SyntaxKind.CloseBraceToken)
      templates[templates.length - 1] = open - 1;
    if (token === SyntaxKind.TemplateHead) templates.push(0);
    if (TEXTS.has(token)) literals.push({ at: scanner.getTokenStart(), text: scanner.getTokenValue() });
    before = token;
  }
  return literals;
}

export function lineAt(source: string, at: number): number {
  return source.slice(0, at).split('\n').length;
}
