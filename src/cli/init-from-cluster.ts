/** `oxherd init --from-cluster`: an oxherd.yaml that describes a running cluster, and its secrets. Changes nothing there. */
import { existsSync, writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { hoistDefaults } from '../config/convert/hoist-defaults.js';
import { writeCommentedYaml } from '../config/convert/write-yaml.js';
import { OxherdError } from '../model/error.js';
import { loadSecrets, storeSecrets, systemEnvironment } from '../secrets/store.js';
import { secretsFingerprint, type TalosSecrets } from '../secrets/talos-secrets.js';
import {
  describeRunningCluster,
  type RunningCluster,
} from '../session/from-cluster/describe-running-cluster.js';
import { placeOf } from '../session/secrets/secrets-files.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from './context.js';
import { tellRunningCluster } from './views/running-cluster.js';
import { tellStored } from './views/secrets.js';

export async function run(context: CliContext, { options }: CommandInput): Promise<ExitCode> {
  const path = resolve(context.cwd, context.globals.config);
  const shown = relative(context.cwd, path) || path;
  if (existsSync(path) && options.force !== true) {
    throw new OxherdError('init.exists', `there is already ${shown}`, {
      where: path,
      advice: 'keep it, or overwrite it with --force',
    });
  }
  const running = await describeRunningCluster(context, {
    talosconfig: String(options.talosconfig ?? context.env.TALOSCONFIG ?? 'talosconfig'),
    proxmox: proxmoxOf(context, options),
  });
  const header = [
    `Written by \`oxherd init --from-cluster\` from what was found. ${running.patches} patches say what has no key of its own.`,
    'The machine config designed from this file is the one that each machine has.',
  ];
  const text = writeCommentedYaml({ raw: hoistDefaults(running.raw), header, wasCalled: new Map() });
  writeFileSync(path, text, { flag: options.force === true ? 'w' : 'wx' });
  await keepSecrets(context, running);
  tellRunningCluster(context, shown, running);
  return running.different.length > 0 ? EXIT.failed : EXIT.done;
}

function proxmoxOf(context: CliContext, options: CommandInput['options']) {
  const endpoint =
    options.proxmox ?? options.endpoint ?? (context.globals.lab ? 'https://lab.invalid:8006' : undefined);
  if (endpoint === undefined) {
    throw new OxherdError('init.missing', 'the address of the Proxmox API is missing', {
      advice: 'oxherd init --from-cluster --talosconfig FILE --proxmox https://pve1.lan:8006',
    });
  }
  return {
    endpoint: String(endpoint),
    ...(typeof options.fingerprint === 'string' && { fingerprint: options.fingerprint }),
    ...(options.insecure === true && { insecure: true }),
  };
}

/** Those that are there already must be the same. */
export async function keepSecrets(
  context: CliContext,
  { secrets, config }: { readonly secrets: TalosSecrets; readonly config: RunningCluster['config'] },
): Promise<void> {
  const environment = systemEnvironment(context.env);
  const place = placeOf(context, config.cluster);
  const there = await loadSecrets(place, environment);
  if (!there) {
    const stored = await storeSecrets(secrets, place, environment);
    if (!context.globals.json)
      tellStored(context, 'imported', { ...stored, fingerprint: secretsFingerprint(secrets) });
    return;
  }
  if (secretsFingerprint(there.secrets) === secretsFingerprint(secrets)) return;
  throw new OxherdError('secrets.other', `${there.path} holds the secrets of another cluster`, {
    where: there.path,
    advice: 'move it away, then import those of this cluster: oxherd secrets import --from-node ADDRESS',
  });
}
