/**
 * Formats that Proxmox VE checks by code: for each its pattern in Perl's words and its text, tried with texts that
 * fit and with texts that nearly do.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FORMATS, METHODS } from '../../src/lab/proxmox/gen/schema.js';
import type { ObjectSchema, PropertySchema, VariantSchema } from '../../src/lab/proxmox/schema.js';
import { checkProperty, type Errors } from '../../src/lab/proxmox/validation/check.js';
import { codeFormat } from '../../src/lab/proxmox/validation/formats.js';

const RUNS = { numRuns: 25, seed: 23 };

interface Rule {
  /** Without anchors. */
  readonly fits: RegExp;
  readonly text: (value: string) => string;
}

const fixed =
  (text: string): Rule['text'] =>
  () =>
    text;
const LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
const QUAD = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const IPV4 = `${QUAD}\\.${QUAD}\\.${QUAD}\\.${QUAD}`;

const RULES: Readonly<Record<string, Rule>> = {
  'pve-vmid': { fits: /[1-9][0-9]{2,8}/, text: fixed('value does not look like a valid VM ID') },
  'pve-node': { fits: new RegExp(LABEL), text: fixed('value does not look like a valid node name') },
  'pve-configid': {
    fits: /[a-zA-Z][a-zA-Z0-9_-]+/,
    text: (value) => `invalid configuration ID '${value}'`,
  },
  'pve-groupid': {
    fits: /[A-Za-z0-9._-]+/,
    text: (value) => `group name '${value}' contains invalid characters`,
  },
  'pve-roleid': {
    fits: /[A-Za-z0-9._-]+/,
    text: (value) => `role name '${value}' contains invalid characters`,
  },
  'pve-realm': {
    fits: /[A-Za-z][A-Za-z0-9._-]+/,
    text: fixed('value does not look like a valid realm'),
  },
  'pve-tag': { fits: /[a-zA-Z0-9_][a-zA-Z0-9_+.-]*/, text: fixed('invalid characters in tag') },
  'pve-volume-id': {
    fits: /[a-zA-Z][a-zA-Z0-9_.-]*[a-zA-Z0-9]:[^\n]+/,
    text: (value) => `unable to parse volume ID '${value}'`,
  },
  'disk-size': {
    fits: /[0-9]+(?:\.[0-9]+)?(?:[KMGT](?:iB)?)?/,
    text: (value) => `value does not look like a valid disk size: ${value}`,
  },
  'mac-addr': {
    fits: /[a-fA-F0-9][02468aceACE](?::[a-fA-F0-9]{2}){5}/,
    text: fixed('value does not look like a valid unicast MAC address'),
  },
  'dns-name': {
    fits: new RegExp(`(?:${LABEL}\\.)*${LABEL}`),
    text: fixed('value does not look like a valid DNS name'),
  },
  ipv4: { fits: new RegExp(IPV4), text: fixed('value does not look like a valid IPv4 address') },
  CIDRv4: {
    fits: new RegExp(`${IPV4}/(?:[89]|[12][0-9]|3[0-2])`),
    text: fixed('value does not look like a valid IPv4 CIDR network'),
  },
  email: {
    fits: /[a-zA-Z0-9_+~-]+(?:\.[a-zA-Z0-9_+~-]+)*@[a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)*/,
    text: fixed('value does not look like a valid email address'),
  },
  urlencoded: { fits: /[-%a-zA-Z0-9_.!~*'()]*/, text: (value) => `invalid urlencoded string: ${value}` },
  'pve-bridge-id': { fits: /[a-zA-Z0-9_.-]+/, text: (value) => `invalid bridge ID '${value}'` },
  'pve-ha-resource-id': {
    fits: /[a-z]+:[^\s]+/,
    text: fixed('value does not look like a valid ha resource id'),
  },
  'pve-iface': {
    fits: /[a-zA-Z][a-zA-Z0-9_]{1,20}(?:[:.][0-9]+)?/,
    text: (value) => `invalid network interface name '${value}'`,
  },
  'pve-task-status-type': {
    fits: /(?:ok|error|warning|unknown|OK|Error)/,
    text: (value) => `invalid status '${value}'`,
  },
  'pve-day-of-week': { fits: /(?:mon|tue|wed|thu|fri|sat|sun)/, text: (value) => `invalid day '${value}'` },
};

/** One character more, less or other than a text that fits. */
function near(fits: RegExp): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.stringMatching(new RegExp(`^(?:${fits.source})$`)),
      fc.nat(40),
      fc.constantFrom('', ' ', ',', ':', '/', '@', '_', '-', '.', '!', '%', '=', '0', 'Z', '\n'),
      fc.boolean(),
    )
    .map(([text, at, other, over]) => text.slice(0, at) + other + text.slice(at + (over ? 1 : 0)));
}

function problem(property: PropertySchema, value: string): string | undefined {
  const errors: Errors = Object.create(null);
  checkProperty(value, property, 'x', errors);
  return errors.x;
}

/** Perl lets one line break follow what fits. */
const fitsIt = ({ fits }: Rule, value: string) => new RegExp(`^(?:${fits.source})\n?$`).test(value);

function expected(rule: Rule, value: string): string | undefined {
  return fitsIt(rule, value) ? undefined : `invalid format - ${rule.text(value)}\n`;
}

describe.each(Object.entries(RULES))('format %s', (format, rule) => {
  it('takes what fits and names what does not', () => {
    const good = fc.stringMatching(new RegExp(`^(?:${rule.fits.source})$`));
    fc.assert(
      fc.property(good, (value) => {
        expect(problem({ type: 'string', format }, value)).toBeUndefined();
      }),
      RUNS,
    );
    fc.assert(
      fc.property(near(rule.fits), (value) => {
        expect(problem({ type: 'string', format }, value)).toBe(expected(rule, value));
      }),
      RUNS,
    );
  });

  it('is checked for every item of a list, and the first bad one is named', () => {
    const separator = fc.constantFrom(',', ';', ' ', ', ', ' ;');
    const item = fc.oneof(fc.stringMatching(new RegExp(`^(?:${rule.fits.source})$`)), near(rule.fits));
    fc.assert(
      fc.property(fc.array(item, { maxLength: 4 }), separator, (items, between) => {
        const text = items.join(between);
        const parts = text.split(/[,;\s\0]+/).filter((part) => part !== '');
        const bad = parts.find((part) => !fitsIt(rule, part));
        expect(problem({ type: 'string', format: `${format}-list` }, text)).toBe(
          bad === undefined ? undefined : expected(rule, bad),
        );
      }),
      RUNS,
    );
  });

  it('does not check an optional value that is empty or zero', () => {
    for (const value of ['', '0']) {
      expect(problem({ type: 'string', format: `${format}-opt` }, value)).toBeUndefined();
    }
  });
});

describe('every format that the schema names', () => {
  const names = new Set<string>();
  const add = ({ format, items }: PropertySchema): void => {
    if (format !== undefined) names.add(format);
    if (items) add(items);
  };
  const walk = (schema: ObjectSchema | VariantSchema): void => {
    if ('variants' in schema) {
      add(schema.typeSchema);
      for (const variant of Object.values(schema.variants)) walk(variant);
      return;
    }
    for (const property of Object.values(schema.properties ?? {})) add(property);
    for (const part of schema.allOf ?? []) walk(part);
  };
  for (const { parameters } of METHODS) walk(parameters);
  for (const schema of FORMATS.values()) for (const property of Object.values(schema)) add(property);

  it('is known, as a property string or as code', () => {
    expect(names.size).toBeGreaterThan(100);
    for (const name of names) {
      if (!FORMATS.has(name)) expect(() => codeFormat(name.replace(/-(list|opt)$/, ''))).not.toThrow();
    }
  });

  it('never crashes, whatever the text', () => {
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.string({ maxLength: 12 }), (format, text) => {
        expect(problem({ type: 'string', format }, text) ?? 'invalid format').toMatch(/^invalid format/);
      }),
      { numRuns: 300, seed: 23 },
    );
  });
});
