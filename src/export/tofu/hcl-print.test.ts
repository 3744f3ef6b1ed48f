import { describe, expect, it } from 'vitest';
import { printAttributes } from './hcl-print.js';

describe('HCL as `terraform fmt` writes it', () => {
  it('aligns what follows each other, and lets longer values stand alone', () => {
    expect(
      printAttributes({
        a: 1,
        long: 'x',
        block: { b: true },
        list: [{ c: null }],
        after: [1, 'y'],
        text: 'one\n  two\n',
      }),
    ).toBe(
      'a    = 1\nlong = "x"\nblock = {\n  b = true\n}\nlist = [\n  {\n    c = null\n  },\n]\nafter = [1, "y"]\ntext = <<-EOT\n  one\n    two\nEOT\n',
    );
  });
});
