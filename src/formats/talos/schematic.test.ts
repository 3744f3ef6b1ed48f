import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import recordings from '../../../test/fixtures/formats/schematics.json' with { type: 'json' };
import { printGoYaml } from '../text/go-yaml.js';
import { printSchematic, schematicId } from './schematic.js';
import { parseSchematic, SchematicError, schematicFrom, schematicIdOf } from './schematic-reader.js';

describe('schematics as the Image Factory computes them', () => {
  const accepted = recordings.filter((recording) => recording.id !== undefined);
  const refused = recordings.filter((recording) => recording.error !== undefined);

  it('has recordings of both kinds', () => {
    expect([accepted.length, refused.length].every((count) => count > 0)).toBe(true);
  });

  it.each(accepted)('$name', ({ input, canonical, id }) => {
    const schematic = parseSchematic(input);
    expect(printSchematic(schematic)).toBe(canonical);
    expect(schematicId(schematic)).toBe(id);
  });

  it.each(accepted)('$name, from parsed YAML', ({ input, id }) => {
    expect(schematicIdOf(parse(input))).toBe(id);
  });

  it.each(refused)('$name', ({ input, error }) => {
    expect(() => parseSchematic(input)).toThrow(
      expect.objectContaining({ name: 'SchematicError', message: error }),
    );
  });

  it('tells every mistake at once', () => {
    expect(() => parseSchematic('a: 1\ncustomization:\n  meta: x\n')).toThrow(
      'yaml: construct errors:\n  line 1: field a not found in type schematic.Schematic\n' +
        '  line 3: cannot construct !!str `x` into []schematic.MetaValue',
    );
  });

  it('says broken YAML is broken', () => {
    expect(() => parseSchematic('a: [')).toThrow(SchematicError);
  });

  it('sorts the overlay options, which are a Go map', () => {
    const schematic = schematicFrom({
      overlay: { name: 'n', image: 'i', options: { b: 1, a: { d: true, c: [] } } },
    });
    expect(printSchematic(schematic)).toBe(
      'overlay:\n    image: i\n    name: "n"\n    options:\n        a:\n            c: []\n            d: true\n        b: 1\ncustomization: {}\n',
    );
  });
});

describe('strings as Go writes them', () => {
  it.each([
    ['plain', 'plain'],
    ['a: b', "'a: b'"],
    ['ends:', "'ends:'"],
    ["it's #1", "'it''s #1'"],
    ['-selinux', '-selinux'],
    ['- x', "'- x'"],
    ['no', '"no"'],
    ['0x1F', '"0x1F"'],
    ['12:30', '"12:30"'],
    ['2024-01-02', '"2024-01-02"'],
    ['tab\there', '"tab\\there"'],
    [' lead', "' lead'"],
    ['two\n', '|\n    two'],
    ['space \nbreak', '"space \\nbreak"'],
    ['\nlead', '|4-\n\n    lead'],
    ['ünï', 'ünï'],
  ])('%j', (text, written) => {
    expect(printGoYaml({ k: text })).toBe(`k: ${written}\n`);
  });
});
