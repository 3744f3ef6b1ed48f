/** Which command is rehearsed: the same request as that command makes. */
import { OxherdError } from '../../model/error.js';
import { parseVersion, type Version } from '../../model/version.js';
import { configWithVersions } from '../../session/config/config-versions.js';
import { editableConfig } from '../../session/config/edit-config-file.js';
import type { PlanRequest } from '../../session/plan/index.js';
import { adoptRequest } from '../adopt/adopt-request.js';
import type { CliContext, CommandInput } from '../context.js';
import { drainRequest } from '../host-maintenance.js';
import type { requireConfig } from '../require-config.js';

export const REHEARSED = [
  'apply',
  'upgrade',
  'restart',
  'replace',
  'drain',
  'return',
  'destroy',
  'adopt',
  'balance',
] as const;

type Loaded = ReturnType<typeof requireConfig>;

export async function rehearsedRequest(
  context: CliContext,
  loaded: Loaded,
  { args: [what = 'apply', ...names], options }: CommandInput,
): Promise<PlanRequest> {
  switch (what) {
    case 'apply':
    case 'upgrade':
      return { kind: 'converge' };
    case 'restart':
    case 'replace':
      if (names.length === 0)
        throw new OxherdError('cli.no-node', `name the nodes to ${what}`, {
          advice: `oxherd rehearse ${what} NODE…`,
        });
      return { kind: what, nodes: names };
    case 'drain':
    case 'return': {
      const [host] = names;
      if (host === undefined)
        throw new OxherdError('cli.no-host', `name the host to ${what}`, {
          advice: `oxherd rehearse ${what} HOST`,
        });
      return what === 'drain' ? drainRequest(host, options) : { kind: 'return-host', host };
    }
    case 'adopt':
      return adoptRequest(context, loaded, options);
    case 'destroy':
    case 'balance':
      return { kind: what };
    default:
      throw new OxherdError('cli.rehearse', `there is no command ${what} to rehearse`, {
        advice: `one of: ${REHEARSED.join(', ')}`,
      });
  }
}

/** The config as `upgrade` would write it; the file stays as it is. */
export function upgraded(
  context: CliContext,
  { config, directory }: Loaded,
  { talos, kubernetes }: CommandInput['options'],
): Loaded {
  const path = editableConfig(
    context,
    'upgrade.foreign-file',
    'edit the versions in it and run `oxherd rehearse`',
  );
  const versions = {
    talos: versionOf('talos', talos) ?? config.talos.version,
    kubernetes: versionOf('kubernetes', kubernetes) ?? config.cluster.kubernetes,
  };
  return { config: configWithVersions(path, versions), directory };
}

export function versionOf(what: string, text: unknown): Version | undefined {
  if (text === undefined) return undefined;
  const version = parseVersion(String(text));
  if (version) return version;
  throw new OxherdError('cli.version', `--${what} ${String(text)} is not a version`, {
    advice: 'write it as v1.14.1',
  });
}
