/** Flux or Argo CD, and the repository that it takes the cluster over from. */
import { z } from 'zod';
import { optional, required } from './key.js';
import { duration, filePath, pattern, secretRef, sha256 } from './values.js';

const version = pattern(/^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/, 'a release', 'v2.9.5');
const EXAMPLE_URL = 'ssh://git@git.lan/infra/cluster.git';

/** The value is not shown where it has a password in it. */
const repository = z.string().transform((value, context) => {
  if (/^(https|ssh):\/\/[^\s/@]*:[^\s/@]*@/.test(value)) {
    context.addIssue({
      code: 'custom',
      message: 'the URL has a password in it',
      params: {
        code: 'config.secret-in-file',
        hint: 'write the URL without it, and `username` with `password: env:ITS_NAME`; if the file was shared, create a new password',
      },
    });
    return z.NEVER;
  }
  if (/^(https|ssh):\/\/[^\s/]+\/\S+$/.test(value)) return value;
  context.addIssue({
    code: 'custom',
    message: 'the repository needs an https:// or ssh:// URL',
    params: { hint: `write it like \`${EXAMPLE_URL}\`; \`git@host:path\` is \`ssh://git@host/path\`` },
  });
  return z.NEVER;
});

export const gitopsSourceSchema = z.strictObject({
  url: required(repository, 'Git repository, by https or ssh.', { example: EXAMPLE_URL }),
  branch: optional(z.string().min(1), 'Branch to follow.', { byDefault: 'main' }),
  path: optional(z.string().min(1), 'Folder in the repository that this cluster starts from.', {
    byDefault: '.',
    example: 'clusters/homelab',
  }),
  key: optional(secretRef, 'Where the private SSH key is that may read the repository.', {
    example: 'file:deploy-key',
  }),
  knownHosts: optional(filePath, 'File with the host keys of the SSH server, as `ssh-keyscan` prints them.', {
    example: 'known_hosts',
  }),
  username: optional(z.string().min(1), 'User for https.', { byDefault: 'git' }),
  password: optional(secretRef, 'Where the password or token for https is.', { example: 'env:GIT_TOKEN' }),
  interval: optional(duration, 'How often the repository is looked at (Flux).', { byDefault: '1m' }),
  prune: optional(z.boolean(), 'Delete objects that leave the repository.', { byDefault: true }),
});

const engine = (project: string, url: string) =>
  z.strictObject({
    version: required(version, `Release of ${project}; Renovate can keep it.`, { example: 'v2.9.5' }),
    manifest: optional(z.string().min(1), `Its install manifest, URL or file. By default \`${url}\`.`),
    sha256: optional(sha256, 'What the manifest must hash to.'),
    source: required(gitopsSourceSchema, 'The first repository.', { example: { url: EXAMPLE_URL } }),
  });

export const gitopsSchema = z.strictObject({
  flux: optional(
    engine('Flux', 'https://github.com/fluxcd/flux2/releases/download/VERSION/install.yaml'),
    'Flux in the namespace `flux-system`.',
  ),
  argocd: optional(
    engine('Argo CD', 'https://raw.githubusercontent.com/argoproj/argo-cd/VERSION/manifests/install.yaml'),
    'Argo CD in the namespace `argocd`.',
  ),
});
