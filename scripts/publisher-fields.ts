import type { Publisher } from '../src/model/publisher.js';

/** package.json with the fields that are the publisher's. */
export function withPublisher(
  manifest: Readonly<Record<string, unknown>>,
  { npm }: Pick<Publisher, 'npm'>,
): Record<string, unknown> {
  const { name, version, description, license, private: _, homepage, repository, bugs, ...rest } = manifest;
  const head = { name: npm?.name ?? name, version, description, license };
  if (!npm) return { ...head, private: true, ...rest };
  return {
    ...head,
    homepage: npm.homepage,
    repository: { type: 'git', url: npm.repository },
    bugs: npm.bugs,
    ...rest,
  };
}
