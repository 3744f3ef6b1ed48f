/** A session on a twin: throw-away secrets, a folder that goes with it, and no way to the cluster it was made from. */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { design as designCluster } from '../../design/design-cluster.js';
import { kubernetesDesign } from '../../design/kubernetes/kubernetes-design.js';
import { markedConfig } from '../../design/machine-config/config-mark.js';
import { MachineConfigWriter } from '../../design/machine-config/machine-config.js';
import type { KeptState } from '../../lab/state.js';
import { resumeTwin, startTwin, type Twin } from '../../lab/twin/start-twin.js';
import { parseVmid } from '../../model/identity.js';
import { generateSecrets } from '../../secrets/generate.js';
import { replacePrivateFile } from '../../secrets/private-file.js';
import { storeSecrets, systemEnvironment } from '../../secrets/store.js';
import { secretsFingerprint, type TalosSecrets } from '../../secrets/talos-secrets.js';
import type { LoadedConfig } from '../connect/site.js';
import type { Target } from '../context.js';
import { clientAddresses } from '../secrets/client-addresses.js';
import { clientFilePaths, issueClientFiles, placeOf, readPassphrases } from '../secrets/secrets-files.js';
import { openSession, type Session, type SessionOptions } from '../session.js';
import type { Observation } from './observation.js';
import { makeTwinFolder } from './twin-folder.js';
import { twinStateOf } from './twin-state-of.js';

export interface TwinSession {
  readonly session: Session;
  readonly twin: Twin;
  /** Its folder: nothing of it means anything outside. */
  readonly folder: string;
  /** A twin of the twin, as this one is now. */
  keep(): KeptTwin;
  close(): Promise<void>;
}

/** A twin to begin from, as often as one likes. */
export interface KeptTwin {
  readonly loaded: LoadedConfig;
  readonly hasSecrets: boolean;
  readonly state: KeptState;
  /** What its session keeps: secrets and client files, by path. */
  readonly files: Readonly<Record<string, Uint8Array>>;
}

export interface TwinOptions extends Pick<SessionOptions, 'env' | 'signal' | 'tell'> {
  /** Where its folder is made; default: the system's place for such. */
  readonly below?: string;
}

/** Enough for a key that lives for a minute. */
const RSA_BITS = 2048;
/** A twin works on a call in no time. */
const LONG_CALL_MS = 8_000;
/** And answers a request as soon: by the wall, whatever the lab's clock says. */
export const TWIN_ANSWER_MS = 2_500;

export async function openTwin(
  loaded: LoadedConfig,
  observation: Observation,
  options: TwinOptions = {},
): Promise<TwinSession> {
  const { now, random } = systemEnvironment({});
  const secrets = await generateSecrets({ now, random, rsaBits: RSA_BITS });
  const state = await stateFor(loaded, observation, secrets, options.env ?? process.env);
  const { clientFiles, secrets: hasSecrets } = observation;
  return openOn(await startTwin(state), { loaded, hasSecrets }, options, async (place) => {
    if (hasSecrets) await storeSecrets(secrets, placeOf(place, loaded.config.cluster), systemEnvironment({}));
    if (clientFiles) await writeClientFiles(place, loaded, secrets);
  });
}

export async function openCopy(kept: KeptTwin, options: TwinOptions = {}): Promise<TwinSession> {
  return openOn(await resumeTwin(kept.state), kept, options, ({ cwd }) => writeFiles(cwd, kept.files));
}

interface TwinPlace {
  readonly cwd: string;
  readonly configPath: string;
  readonly target: Target;
}

async function openOn(
  twin: Twin,
  { loaded, hasSecrets }: Pick<KeptTwin, 'loaded' | 'hasSecrets'>,
  { below, ...options }: TwinOptions,
  prepare: (place: TwinPlace) => Promise<void>,
): Promise<TwinSession> {
  const folder = makeTwinFolder(below);
  const cwd = folder.path;
  const close = async (): Promise<void> => {
    await twin.stop();
    await folder.remove();
  };
  try {
    const target = targetOf(twin);
    await prepare({ cwd, configPath: loaded.directory, target });
    const session = await openSession(loaded, target, { ...options, cwd, recorded: false });
    return {
      session,
      twin,
      folder: cwd,
      keep: () => ({ loaded, hasSecrets, state: twin.keep(), files: filesIn(cwd) }),
      async close() {
        await session.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function targetOf({ lab }: Twin): Target {
  return {
    kind: 'lab',
    open: async () => ({
      connection: {
        endpoints: [lab.endpoint],
        token: lab.token,
        tls: { kind: 'fingerprint', sha256: lab.fingerprint },
        requestTimeoutMs: TWIN_ANSWER_MS,
      },
      clock: lab.clock,
      dial: (ip, port) => lab.dial(ip, port),
      longCallMs: LONG_CALL_MS,
      close: async () => {},
    }),
  };
}

async function stateFor(
  { config, directory }: LoadedConfig,
  observation: Observation,
  secrets: TalosSecrets,
  env: NonNullable<SessionOptions['env']>,
) {
  const { taken } = observation.observed;
  const hosts = Object.values(taken).flatMap(({ vmid, host }) => {
    const id = parseVmid(vmid);
    return id === undefined ? [] : [[id, host] as const];
  });
  const design = designCluster(config, {
    observedHosts: new Map(hosts),
    secrets: secretsFingerprint(secrets),
  });
  const passphrases = await readPassphrases({ env }, config, directory);
  const writer = new MachineConfigWriter(config, design, { secrets, passphrases });
  return twinStateOf(observation, {
    config,
    design,
    secrets,
    objects: kubernetesDesign(config, design, { storages: observation.observed.storages, sizes: {} }).objects,
    configOf: (node) => markedConfig(writer.forNode(node).text()),
    hashOf: (node) => writer.forNode(node).hash(),
  });
}

async function writeClientFiles(
  place: { readonly cwd: string; readonly target: Target },
  { config }: LoadedConfig,
  secrets: TalosSecrets,
): Promise<void> {
  const files = await issueClientFiles(config, secrets, await clientAddresses(place, config));
  const paths = clientFilePaths(place, config);
  await replacePrivateFile(paths.talosconfig, files.talosconfig);
  await replacePrivateFile(paths.kubeconfig, files.kubeconfig);
}

/** All but journals. */
function filesIn(cwd: string): Record<string, Uint8Array> {
  const entries = readdirSync(cwd, { recursive: true, withFileTypes: true });
  const paths = entries.flatMap((entry) =>
    entry.isFile() ? [relative(cwd, join(entry.parentPath, entry.name))] : [],
  );
  const kept = paths.filter((path) => !path.split(sep).includes('runs'));
  return Object.fromEntries(kept.map((path) => [path, readFileSync(join(cwd, path))]));
}

async function writeFiles(cwd: string, files: KeptTwin['files']): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(cwd, path)), { recursive: true, mode: 0o700 });
    await writeFile(join(cwd, path), content, { mode: 0o600 });
  }
}
