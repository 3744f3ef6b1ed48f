/** Where an upgrade of several hops is going: kept beside the client files until it is reached. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { formatVersion, parseVersion, type Version } from '../../model/version.js';
import type { Versions } from '../../plan/machines/upgrade-path.js';
import { clientFilesFolder } from '../../secrets/locate.js';
import { readIfThere, replacePrivateFile } from '../../secrets/private-file.js';

export interface UpgradeGoal {
  read(): Promise<Versions | undefined>;
  write(goal: Versions): Promise<void>;
  forget(): Promise<void>;
}

const version = z.string().transform((text, context): Version => {
  const parsed = parseVersion(text);
  if (parsed) return parsed;
  context.addIssue('not a version');
  return z.NEVER;
});

const schema = z.object({ talos: version, kubernetes: version });

export function upgradeGoal(
  place: { readonly cwd: string; readonly lab: boolean },
  cluster: { readonly name: string; readonly env: string },
): UpgradeGoal {
  const path = join(clientFilesFolder(place, cluster), 'upgrade.json');
  return {
    async read() {
      const text = await readIfThere(path);
      if (text === undefined) return undefined;
      try {
        return schema.parse(JSON.parse(text));
      } catch {
        // A note that cannot be read is no note: the versions are asked for again.
        return undefined;
      }
    },
    write: ({ talos, kubernetes }) =>
      replacePrivateFile(
        path,
        `${JSON.stringify({ talos: formatVersion(talos), kubernetes: formatVersion(kubernetes) })}\n`,
      ),
    forget: () => rm(path, { force: true }),
  };
}
