import { bytes, formatSize } from '../../../model/size.js';
import { listVolumes, type VolumeRow } from '../../../session/plan/index.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, EXIT, type ExitCode } from '../../context.js';
import { paint } from '../../views/paint.js';
import { columnsOf, fitted, fittedTable } from '../../views/screen/wrap.js';
import { withSession } from '../../with-session.js';

export const command: CommandSpec = {
  name: 'list',
  summary: 'every volume with size, owner and user',
  json: 'a list of volumes: name, kind, state, size, host, volid, owner, usedBy, phase, claim or mount',
  examples: [{ command: 'oxherd volumes list --json', does: 'as JSON' }],
};

export async function run(context: CliContext): Promise<ExitCode> {
  return withSession(context, async (session) => {
    const { design, observed } = await session.gather();
    const rows = listVolumes(design, observed);
    if (context.globals.json) context.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
    else if (rows.length === 0) context.stdout.write('No volumes.\n');
    else context.stdout.write(`${volumesText(context, rows)}\n`);
    return EXIT.done;
  });
}

function volumesText(context: CliContext, rows: readonly VolumeRow[]): string {
  const colors = paint(context.globals.color);
  const marked = (row: VolumeRow) =>
    row.state === 'no-identity'
      ? colors.red(row.state)
      : ['parked', 'unused', 'orphan'].includes(row.state)
        ? colors.yellow(row.state)
        : row.state;
  const removable = rows.filter((row) => row.remove !== undefined);
  const hints = removable.map((row) => `  ${row.volid}: on ${row.host}: ${row.remove}`);
  const advice =
    hints.length === 0
      ? ''
      : `\n\nNothing uses these volumes. Look at them first (a replica of \`pvesr list\` stays); what is not needed is erased with:\n${hints.join('\n')}`;
  const width = columnsOf(context);
  const { text, left } = volumeTable(rows, marked, width);
  const hidden =
    left.length === 0 ? '' : `\n${colors.dim(`not shown in ${width} columns: ${left.join(', ')}`)}`;
  return `${text}${fitted(`${hidden}${advice}`, width)}`;
}

/** Least needed first: what a narrow terminal does not show. */
const SPARE = ['PHASE', 'MOUNT OR CLAIM', 'VOLUME', 'KIND', 'USED BY', 'OWNER'];

function volumeTable(rows: readonly VolumeRow[], marked: (row: VolumeRow) => string, width: number) {
  return fittedTable(
    ['NAME', 'KIND', 'STATE', 'SIZE', 'HOST', 'VOLUME', 'OWNER', 'USED BY', 'PHASE', 'MOUNT OR CLAIM'],
    rows.map((row) => [
      row.name,
      row.kind,
      marked(row),
      row.size === undefined ? '' : formatSize(bytes(row.size)),
      row.host ?? '',
      row.volid ?? '',
      row.owner === undefined ? '' : `VM ${row.owner}`,
      row.usedBy === undefined ? '' : `VM ${row.usedBy}`,
      row.phase ?? '',
      row.claim ?? row.mount ?? '',
    ]),
    width,
    SPARE,
  );
}
