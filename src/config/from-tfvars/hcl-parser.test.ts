// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is how HCL is written
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type HclValue, printAttributes } from '../../export/tofu/hcl-print.js';
import { readVariables } from './read-variables.js';

function values(text: string, path = 'x.tfvars') {
  const { document, diagnostics } = readVariables([{ path, name: path, text }]);
  expect(diagnostics).toEqual([]);
  return document?.raw;
}

describe('HCL of variable files', () => {
  it.each([
    ['a = "x"', 'x'],
    ['a = -1.5e3', -1500],
    ['a = true # why', true],
    ['a = null // why', null],
    ['a = /* why */ 1', 1],
    ['"a" = 1', 1],
    ['a = [1, "b", ]', [1, 'b']],
    ['a = [\n  1, # one\n  2\n]', [1, 2]],
    ['a = { b = 1, c : 2 }', { b: 1, c: 2 }],
    ['a = {\n  "b c" = {}\n}', { 'b c': {} }],
    ['a = "\\"\\\\\\n\\t\\u00e9\\U0001F402"', '"\\\n\té🐂'],
    ['a = "$${x} %%{y} $x"', '${x} %{y} $x'],
  ])('%s', (text, expected) => expect(values(text)?.a).toEqual(expected));

  it('takes the least indentation off <<- and none off <<', () => {
    const text = 'a = <<-EOT\n    one\n\n      two\n    EOT\nb = <<EOT\n  one\nEOT\n';
    expect(values(text)).toEqual({ a: 'one\n\n  two\n', b: '  one\n' });
  });

  it('reads heredocs with Windows line ends', () => {
    expect(values('a = <<-EOT\r\n  x: 1\r\n  y: 2\r\nEOT\r\nb = 1\r\n')).toEqual({ a: 'x: 1\ny: 2\n', b: 1 });
  });

  it('evaluates locals, also inside text and heredocs', () => {
    const text = [
      'locals {',
      '  v = "v1"',
      '  o = { list = [1, 2], name = "${local.v}-x" }',
      '}',
      'a = local.v',
      'b = "${ local.o.name }/${local.o.list.1}"',
      'c = <<-EOT',
      '  ${local.v}: $${kept}',
      'EOT',
      'd = local.o.list',
    ].join('\n');
    expect(values(text)).toEqual({ a: 'v1', b: 'v1-x/2', c: 'v1: ${kept}\n', d: [1, 2] });
  });

  it('reads JSON, where ${ is only text', () => {
    expect(values('{\n"a": "${x}\\/\\u0041",\n"b": [true, null]}', 'x.tfvars.json')).toEqual({
      a: '${x}/A',
      b: [true, null],
    });
  });

  it('lets the last file that sets a variable win', () => {
    const { document } = readVariables([
      { path: 'a.tfvars', name: 'a.tfvars', text: 'x = { a = 1, b = 2 }\ny = 1\n' },
      { path: 'b.tfvars', name: 'b.tfvars', text: 'x = { c = 3 }\n' },
    ]);
    expect(document?.raw).toEqual({ x: { c: 3 }, y: 1 });
    expect(document?.positionOf(['x', 'c'])).toEqual({ file: 'b.tfvars', line: 1, column: 11 });
    expect(document?.positionOf(['y'], 'key')).toEqual({ file: 'a.tfvars', line: 2, column: 1 });
  });

  it('never shows a token, also where the file cannot be read', () => {
    const text = 'proxmox_api_token = "not-in-the-usual-form-0123456789" oops\n';
    const { diagnostics } = readVariables([{ path: 'x.tfvars', name: 'x.tfvars', text }]);
    expect(diagnostics).toHaveLength(1);
    expect(JSON.stringify(diagnostics)).not.toContain('0123456789');
  });

  it('ends on any text, with a place inside it', () => {
    const piece = fc.constantFrom(
      'a',
      '=',
      '{',
      '}',
      '[',
      ']',
      '"',
      '${',
      '<<-E\n',
      'E\n',
      '\n',
      ',',
      '#',
      '/*',
      '1',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join('');
        const { document, diagnostics } = readVariables([{ path: 'x.tfvars', name: 'x.tfvars', text }]);
        expect(document === undefined).toBe(diagnostics.length > 0);
        for (const { line } of diagnostics) expect(line).toBeLessThanOrEqual(text.split('\n').length);
      }),
    );
  });

  it('reads back whatever is printed', () => {
    const leaf = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.string({ maxLength: 30 }).map((text) => `${text.replaceAll('\r', '')}\n`),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
    );
    const key = fc.oneof(
      fc.stringMatching(/^[a-z_][a-z0-9_-]{0,8}$/),
      fc.string({ minLength: 1, maxLength: 8 }),
    );
    const { tree } = fc.letrec<{ tree: HclValue }>((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(key, tie('tree'), { maxKeys: 4, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(key, tree, { maxKeys: 4, noNullPrototype: true }), (object) => {
        fc.pre(!Object.hasOwn(object, '__proto__') && !JSON.stringify(object).includes('__proto__'));
        expect(values(printAttributes(object))).toEqual(object);
      }),
      { numRuns: 200 },
    );
  });
});
