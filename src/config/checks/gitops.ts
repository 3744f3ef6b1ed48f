/** How the first repository of Flux or Argo CD is reached. */
import type { Check } from './check.js';

export const gitopsSource: Check = {
  needs: ['kubernetes.gitops'],
  run({ config, file, report }) {
    const { gitops } = config.kubernetes;
    if (!gitops) return;
    const { engine, source, manifest, sha256 } = gitops;
    const at = ['kubernetes', 'gitops', engine];
    const say = (key: string, message: string, hint: string): void =>
      report.error({ code: 'kubernetes.gitops', path: [...at, 'source', key], message, hint });
    if (source.url.startsWith('ssh:')) {
      if (!source.key)
        say(
          'url',
          'an ssh:// repository needs a key',
          'add `key: file:deploy-key`, a key that may read the repository',
        );
      if (source.password)
        say('password', '`password` is for https:// repositories', 'remove it, or write an https:// URL');
      if (!source.knownHosts && engine === 'flux')
        say(
          'url',
          'Flux connects by ssh only to servers whose host keys it is given',
          'write `ssh-keyscan HOST > known_hosts`, compare the keys, and add `knownHosts: known_hosts`',
        );
    } else {
      if (source.key) say('key', '`key` is for ssh:// repositories', 'remove it, or write an ssh:// URL');
      const written = file.kubernetes?.gitops?.[engine]?.source;
      if (written?.username !== undefined && !source.password)
        say(
          'username',
          '`username` needs a `password`',
          'add `password: env:GIT_TOKEN`, or remove `username`',
        );
    }
    if (sha256 !== undefined && 'text' in manifest) {
      report.error({
        code: 'kubernetes.gitops',
        path: [...at, 'sha256'],
        message: '`sha256` is for a manifest by URL',
        hint: 'remove it: the file is in your hands',
      });
    }
  },
};
