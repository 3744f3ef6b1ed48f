/** An adoption, or its undoing, that is cut off; and what must hold whatever is done next. */
import type { CliFolder } from './cli.js';
import { type ClusterRecords, recordsOf } from './cluster-records.js';
import type { CrashOutcome, Cut } from './crash.js';
import { cutLab } from './cut-lab.js';
import { vmConfigs } from './vm-configs.js';

type Configs = Awaited<ReturnType<typeof vmConfigs>>;

export interface AdoptionEnds {
  readonly described: CliFolder;
  readonly adopted: CliFolder;
  readonly before: Configs;
  readonly after: Configs;
  readonly records: ClusterRecords;
}

/** `described` is adopted in a copy. */
export async function adoptionEnds(described: CliFolder): Promise<AdoptionEnds> {
  const [before, records] = [await vmConfigs(described), await recordsOf(described)];
  const adopted = described.copy();
  const { exit, stdout, stderr } = await adopted.lab('adopt', '--yes');
  if (exit !== 0) throw new Error(`adopt: ${stdout}${stderr}`);
  return { described, adopted, before, after: await vmConfigs(adopted), records };
}

/** Writes: between two of them nothing changes, so a run that is cut off at a question leaves what one at the next write does. */
export const WRITES = (request: string): boolean => !request.startsWith('GET ');
export const REQUESTS = (): boolean => true;

export async function cutAdoption(
  ends: AdoptionEnds,
  what: 'adopt' | 'undo',
  cut: Cut,
  at: number,
  counts: (request: string) => boolean,
): Promise<CrashOutcome> {
  const folder = (what === 'adopt' ? ends.described : ends.adopted).copy();
  try {
    const line = cutLab(folder, at, cut, counts);
    await folder.run(['--lab', 'adopt', ...(what === 'undo' ? ['--undo'] : []), '--yes'], {
      openLab: line.open,
    });
    // The process that holds the lock is this one, and lives: a person says that its run has ended.
    await folder.lab('unlock', '--yes');
    const problems = [...(await back(folder, ends)), ...(await forward(folder, ends))];
    return { cut: line.isCut(), problems };
  } finally {
    folder.remove();
  }
}

/** Given back, option by option; in a copy. */
async function back(half: CliFolder, { before, records }: AdoptionEnds): Promise<string[]> {
  const folder = half.copy();
  try {
    const undo = await folder.lab('adopt', '--undo', '--yes');
    return [
      ...(undo.exit === 0 ? [] : [`undo: ${undo.stdout}${undo.stderr}`]),
      ...different('VM configs after the undo', await vmConfigs(folder), before),
      ...different('records after the undo', await recordsOf(folder), records),
    ];
  } finally {
    folder.remove();
  }
}

async function forward(folder: CliFolder, { after, records }: AdoptionEnds): Promise<string[]> {
  const again = await folder.lab('adopt', '--yes');
  const plan = await folder.lab('plan', '--exit-code');
  return [
    ...(again.exit === 0 ? [] : [`adopt: ${again.stdout}${again.stderr}`]),
    ...(plan.exit === 0 ? [] : [`plan: ${plan.stdout}${plan.stderr}`]),
    ...different('VM configs', await vmConfigs(folder), after),
    ...different('records', await recordsOf(folder), records),
  ];
}

function different(what: string, found: object, expected: object): string[] {
  const differ = Object.entries(expected).filter(
    ([key, value]) => JSON.stringify(Reflect.get(found, key)) !== JSON.stringify(value),
  );
  const more = Object.keys(found).filter((key) => !(key in expected));
  return [...differ.map(([key]) => key), ...more].map((key) => `${what}: ${key}`);
}
