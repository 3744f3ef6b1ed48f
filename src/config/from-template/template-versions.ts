/** Versions of Talos and Kubernetes: the template keeps them in `talenv.yaml`, apart from its two files. */
import { isMapping } from '../../formats/text/mapping.js';
import { readYaml } from '../../formats/text/yaml-text.js';
import { type KeptComment, renovateComments } from '../foreign/renovate.js';
import type { Section } from '../foreign/section.js';
import type { Translation } from '../foreign/translation.js';
import type { ReadText } from '../resolve/context.js';

const PLACES = ['talenv.yaml', 'talos/talenv.yaml'] as const;
const KEYS = {
  talos_version: { theirs: 'talosVersion', here: ['talos', 'version'], otherwise: 'v1.14.1' },
  kubernetes_version: { theirs: 'kubernetesVersion', here: ['cluster', 'kubernetes'], otherwise: 'v1.36.0' },
} as const;

export function translateVersions(root: Section, to: Translation, readText: ReadText): void {
  const talenv = PLACES.map((path) => readMapping(readText, path)).find((values) => values !== undefined);
  for (const [key, { theirs, here, otherwise }] of Object.entries(KEYS)) {
    const given = root.looseText(key);
    const beside = talenv?.[theirs];
    if (given) to.move(here, given);
    else if (typeof beside === 'string') {
      to.put(here, beside, []);
      to.comment(here, commentOf(readText, theirs));
    } else {
      to.put(here, otherwise, []);
      root.warn(
        [],
        'template.version',
        `no \`${key}\` is said: ${otherwise} is taken`,
        `write \`${key}: ${otherwise}\``,
      );
    }
  }
  if (readText('schematic.yaml') !== undefined) to.put(['talos', 'schematic'], 'schematic.yaml', []);
}

function commentOf(readText: ReadText, key: string): KeptComment | undefined {
  const text = PLACES.map((path) => readText(path)).find((found) => found !== undefined) ?? '';
  const line = text.split(/\r?\n/).findIndex((each) => each.startsWith(`${key}:`));
  return line < 0 ? undefined : renovateComments(text)(line + 1);
}

/** A YAML mapping in a file beside the two; `undefined` where there is none. */
export function readMapping(readText: ReadText, path: string): Readonly<Record<string, unknown>> | undefined {
  const text = readText(path);
  if (text === undefined) return undefined;
  try {
    const value: unknown = readYaml(text);
    return isMapping(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
