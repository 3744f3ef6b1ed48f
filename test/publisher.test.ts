import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { withPublisher } from '../scripts/publisher-fields.js';
import { PUBLISHER } from '../src/model/publisher.js';

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const npm = {
  name: '@example/oxherd',
  homepage: 'https://oxherd.example.com',
  repository: 'git+https://git.example.com/oxherd.git',
  bugs: 'https://git.example.com/oxherd/issues',
};

describe('package.json', () => {
  it('has the fields of src/model/publisher.ts; else: npx tsx scripts/generate-publisher.ts', () => {
    expect(JSON.stringify(manifest)).toBe(JSON.stringify(withPublisher(manifest, PUBLISHER)));
  });

  it('is private and points nowhere without a publisher', () => {
    const fields = withPublisher(
      { ...manifest, homepage: 'https://a.example', bugs: 'b' },
      { npm: undefined },
    );
    expect(fields).toMatchObject({ name: 'oxherd', private: true });
    for (const field of ['homepage', 'repository', 'bugs', 'publishConfig'])
      expect(fields).not.toHaveProperty(field);
  });

  it('takes a publisher, and loses it again', () => {
    const published = withPublisher(manifest, { npm });
    expect(published).toMatchObject({
      ...npm,
      repository: { type: 'git', url: npm.repository },
      version: manifest.version,
      bin: manifest.bin,
    });
    expect(published).not.toHaveProperty('private');
    expect(withPublisher({ ...published, name: manifest.name }, { npm: undefined })).toEqual(manifest);
  });
});
