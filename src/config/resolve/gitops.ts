import type { GitopsConfig, GitopsEngine, KubernetesConfig } from '../kubernetes-config.js';
import type { ConfigFile } from '../schema/file.js';
import { gitopsSourceSchema } from '../schema/gitops.js';
import { withDefaults } from '../schema/key.js';
import type { ResolveContext } from './context.js';
import { pickDefined } from './levels.js';

type Section = NonNullable<NonNullable<ConfigFile['kubernetes']>['gitops']>;
type Entry = NonNullable<Section['flux']>;

const RELEASES: Readonly<Record<GitopsEngine, (version: string) => string>> = {
  flux: (version) => `https://github.com/fluxcd/flux2/releases/download/${version}/install.yaml`,
  argocd: (version) => `https://raw.githubusercontent.com/argoproj/argo-cd/${version}/manifests/install.yaml`,
};

export function resolveGitops(
  section: Section | undefined,
  context: ResolveContext,
): Pick<KubernetesConfig, 'gitops'> {
  if (!section) return {};
  if ((section.flux === undefined) === (section.argocd === undefined)) {
    context.report.error({
      code: 'kubernetes.gitops',
      path: ['kubernetes', 'gitops'],
      message: '`gitops` needs either `flux` or `argocd`',
      hint: 'keep the one that follows your repository',
    });
    return {};
  }
  const engine = section.flux ? 'flux' : 'argocd';
  const entry = section[engine];
  const gitops = entry && engineOf(engine, entry, context);
  return gitops ? { gitops } : {};
}

function engineOf(engine: GitopsEngine, entry: Entry, context: ResolveContext): GitopsConfig | undefined {
  const path = ['kubernetes', 'gitops', engine];
  const { version, manifest: written, source } = entry;
  const isUrl = written === undefined || /^https?:\/\//.test(written);
  const manifest = isUrl
    ? { url: written ?? RELEASES[engine](version) }
    : context.file(written, [...path, 'manifest']);
  if (!manifest) return undefined;
  const get = withDefaults(gitopsSourceSchema.shape, source);
  const knownHosts =
    source.knownHosts === undefined
      ? undefined
      : context.file(source.knownHosts, [...path, 'source', 'knownHosts']);
  return {
    engine,
    version,
    manifest,
    ...pickDefined(entry, ['sha256']),
    source: {
      url: source.url,
      branch: get('branch'),
      path: get('path'),
      ...pickDefined(source, ['key', 'password']),
      ...(knownHosts && { knownHosts }),
      username: get('username'),
      intervalMs: get('interval'),
      prune: get('prune'),
    },
  };
}
