/** Clusters that several test files start from: each is built once in a worker, and never changed. */
import { CliFolder, ended } from './cli.js';

const built = new Map<string, Promise<CliFolder>>();

/** What was built under that key. It goes away with the worker; whoever wants to change something takes a copy. */
export function builtOnce(key: string, build: () => Promise<CliFolder>): Promise<CliFolder> {
  const known = built.get(key);
  if (known) return known;
  const building = build().then((folder) => {
    process.once('exit', () => folder.remove());
    return folder;
  });
  built.set(key, building);
  return building;
}

/** A folder in which this config was applied on an empty lab. */
export function builtFolder(config: string): Promise<CliFolder> {
  return builtOnce(config, async () => {
    const folder = CliFolder.make(config);
    ended(await folder.lab('apply', '--yes'));
    return folder;
  });
}
