/** Other numbers of nodes, cores, memory or hosts: tried on a copy of the config, and written only where asked to. */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createTwoFilesPatch } from 'diff';
import { z } from 'zod';
import type { Config } from '../../../config/config.js';
import { setKey } from '../../../config/edit/edit.js';
import { redactConfigSource } from '../../../config/secret-ref.js';
import { design } from '../../../design/design-cluster.js';
import { sha256Hex } from '../../../formats/text/hash.js';
import { OxherdError } from '../../../model/error.js';
import {
  checkEdited,
  editableConfig,
  replaceFile,
  writeQuestion,
} from '../../../session/config/edit-config-file.js';
import type { PreparedPlan } from '../../../session/plan/index.js';
import type { WhatIfView } from '../../api.js';
import { errorView } from '../answer.js';
import { withSession } from '../reading.js';
import { capacityFigures, groupsIn } from '../views/capacity-view.js';
import { planView } from '../views/plan-view.js';
import type { WatchedCluster } from '../watched-cluster.js';

const SIZE = /^\d+(\.\d+)?\s*[KMGT]i?B?$/i;

export const editSchema = z.object({
  edits: z
    .array(
      z.object({
        group: z.string().max(100),
        count: z.number().int().min(0).max(5_000).exactOptional(),
        cores: z.number().int().min(1).max(1_024).exactOptional(),
        memory: z.string().regex(SIZE).max(20).exactOptional(),
        hosts: z.array(z.string().max(100)).max(1_000).exactOptional(),
      }),
    )
    .max(1_000),
  /** Of the lines that were shown and confirmed; for writing. */
  digest: z.string().max(100).exactOptional(),
});

type Edits = z.infer<typeof editSchema>;

interface Edited {
  readonly path: string;
  readonly before: string;
  readonly text: string;
  readonly digest: string;
}

export async function whatIf(cluster: WatchedCluster, { edits }: Edits): Promise<WhatIfView> {
  const edited = editedText(cluster, edits);
  const shown = {
    diff: diffOf(edited),
    digest: edited.digest,
    question: writeQuestion(cluster.source.configPath),
  };
  const { reading } = cluster;
  if (!reading) throw new OxherdError('ui.reading', `${cluster.name} is being read`);
  const unchanged = {
    capacity: capacityFigures(reading.config, reading.status.design, reading.status.observed),
  };
  try {
    const config = check(edited);
    const capacity = capacityFigures(config, design(config), reading.status.observed);
    try {
      const { plan } = await planFor(cluster, config, edited.path);
      return { capacity, ...shown, plan: planView(plan, cluster.source.command) };
    } catch (error) {
      return { capacity, ...shown, error: errorView(error) };
    }
  } catch (error) {
    return { ...unchanged, ...shown, error: errorView(error) };
  }
}

/** Writes what was shown, and nothing that someone else has changed meanwhile. */
export async function writeConfig(
  cluster: WatchedCluster,
  { edits, digest }: Edits,
): Promise<{ readonly written: string }> {
  const edited = editedText(cluster, edits);
  if (digest === undefined)
    throw new OxherdError('ui.unconfirmed', 'the lines were not confirmed: nothing was written', {
      advice: 'look at the lines that would change, then confirm them',
    });
  if (digest !== edited.digest)
    throw new OxherdError(
      'ui.stale-config',
      'oxherd.yaml has changed since it was shown: nothing was written',
      {
        advice: 'look at the difference again, then write it',
      },
    );
  check(edited);
  if (edited.text !== edited.before) replaceFile(edited.path, { before: edited.before, after: edited.text });
  await cluster.readAgain();
  return { written: cluster.source.configPath };
}

function editedText(cluster: WatchedCluster, edits: Edits['edits']): Edited {
  const { source, reading } = cluster;
  const path = editableConfig(source, 'ui.foreign-file', 'edit it in an editor');
  const before = readFileSync(path, 'utf8');
  const groups = reading ? groupsIn(before, reading.config).map(({ name }) => name) : [];
  let text = before;
  for (const { group, ...values } of edits) {
    if (!groups.includes(group))
      throw new OxherdError('ui.group', `oxherd.yaml has no nodes called ${group}`);
    for (const [key, value] of Object.entries(values))
      if (value !== undefined) text = setKey(text, ['nodes', group, key], value);
  }
  return { path, before, text, digest: sha256Hex(`${sha256Hex(before)} ${sha256Hex(text)}`) };
}

function check({ path, text }: Edited): Config {
  return checkEdited(path, text, {
    code: 'ui.config',
    message: 'with these values the config is not valid',
    advice: 'nothing was written; change the values',
  });
}

function planFor(cluster: WatchedCluster, config: Config, path: string): Promise<PreparedPlan> {
  const loaded = { config, directory: dirname(path) };
  return withSession(cluster.source, { write: false, signal: cluster.signal, loaded }, (session) =>
    session.plan(),
  );
}

/** Lines of a config as people wrote it, so a secret may stand in one of them. */
function diffOf({ before, text }: Edited): string[] {
  if (before === text) return [];
  const patch = createTwoFilesPatch('', '', redactConfigSource(before), redactConfigSource(text), '', '', {
    context: 1,
  });
  return patch.split('\n').filter((line) => /^[-+ ]/.test(line) && !/^(---|\+\+\+) ?$/.test(line.trimEnd()));
}
