import type { ConfigDocument } from '../config/config-document.js';
import { at, record } from '../config/config-document.js';
import type { DiskView } from '../volumes/disks.js';
import { matchInstallSelector } from '../volumes/install-disk.js';
import { readSize } from '../volumes/volume-spec.js';
import { ConfigError, multiError } from './config-error.js';
import { conflictsOf } from './conflicts.js';
import { crossChecks } from './cross-checks.js';
import { checkDocument } from './document-rules.js';
import type { LoadedConfig } from './load.js';
import { checkV1Alpha1 } from './v1alpha1-rules.js';

/** What is found: each entry of `errors` is one leaf, `message` is how Talos' API prints them. */
interface Verdict {
  readonly errors: readonly string[];
  readonly warnings: string[];
  readonly message: string;
}

interface Findings {
  readonly errors: string[];
  readonly warnings: string[];
  /** What multierror holds: one entry per document, nested where Go nests. */
  readonly printed: string[];
}

/** As `talosctl validate --mode metal` does (config/container/validate.go). */
export function validateConfig(config: LoadedConfig): Verdict {
  return verdict(find(config));
}

/** As ApplyConfiguration does: `machine.install.diskSelector` is compared with the machine's disks as well. */
export function validateAtRuntime(config: LoadedConfig, disks: readonly DiskView[]): { warnings: string[] } {
  const findings = find(config);
  const main = config.documents.find((document) => document.kind === 'v1alpha1')?.body;
  const selector = at(main, 'machine', 'install', 'diskSelector');
  if (selector !== undefined && Object.keys(record(selector)).length > 0) {
    if (
      matchInstallSelector(
        disks.filter((disk) => !disk.readonly),
        record(selector),
      ).length === 0
    ) {
      const problem = `no disks matched the expression: ${selectorExpression(record(selector))}`;
      findings.printed.push(`v1alpha1.Config: ${multiError([problem])}`);
      findings.errors.push(problem);
    }
  }
  if (at(main, 'machine', 'install', 'extensions') !== undefined) {
    const deprecated = findings.warnings.find((warning) => warning.startsWith('.machine.install.extensions'));
    // The real machine checks it twice and says it twice.
    if (deprecated) findings.warnings.push(deprecated);
  }
  const result = verdict(findings);
  if (result.errors.length > 0) throw new ConfigError(result.message);
  return { warnings: result.warnings };
}

function find({ documents }: LoadedConfig): Findings {
  const findings: Findings = { errors: [], warnings: [], printed: [] };
  const main = documents.find((document) => document.kind === 'v1alpha1');
  if (main) {
    const { errors, warnings, printed } = checkV1Alpha1(main.body);
    findings.warnings.push(...warnings);
    findings.errors.push(...errors);
    if (errors.length > 0) findings.printed.push(`v1alpha1.Config: ${multiError(printed)}`);
  }
  for (const document of documents) {
    if (document.kind === 'v1alpha1') continue;
    const { errors, warnings } = checkDocument(document);
    findings.warnings.push(...warnings);
    if (errors.length === 0) continue;
    const joined = `${documentId(document)}: ${errors.join('\n')}`;
    findings.errors.push(joined);
    findings.printed.push(joined);
  }
  const others = [...(main ? conflictsOf(main.body, documents) : []), ...crossChecks(documents)];
  findings.errors.push(...others);
  findings.printed.push(...others);
  return findings;
}

function verdict({ errors, warnings, printed }: Findings): Verdict {
  return { errors, warnings, message: errors.length > 0 ? multiError(printed) : '' };
}

/** Documents that have a name field show it, even when it is empty. */
const NAMELESS = new Set([
  'HostnameConfig',
  'ResolverConfig',
  'TimeSyncConfig',
  'UnattendedInstallConfig',
  'KubePrismConfig',
  'KubeClusterConfig',
  'KubeSpanConfig',
]);

function documentId({ kind, name }: ConfigDocument): string {
  return NAMELESS.has(kind) ? kind : `${kind}/${name}`;
}

/** The old selector written as CEL, as Talos compiles it: sizes and globs, then what every install disk must be. */
function selectorExpression(selector: Readonly<Record<string, unknown>>): string {
  const { size, type, ...globs } = selector;
  const compared = /^\s*(<=|>=|==|=|<|>)?\s*(.+)$/.exec(String(size ?? ''));
  const operator = compared?.[1] === undefined || compared[1] === '=' ? '==' : compared[1];
  return [
    ...(size === undefined ? [] : [`disk.size ${operator} ${readSize(compared?.[2]) ?? 0}u`]),
    ...Object.entries(globs).map(([field, value]) => {
      const name = { name: 'dev_path', busPath: 'bus_path' }[field] ?? field;
      return `glob(${JSON.stringify(String(value))}, disk.${name})`;
    }),
    'disk.transport != ""',
    ...(type === undefined ? [] : [TYPE_EXPRESSIONS[String(type)] ?? 'false']),
    '!disk.readonly',
    '!disk.cdrom',
  ].join(' && ');
}

const TYPE_EXPRESSIONS: Readonly<Record<string, string>> = {
  nvme: 'disk.transport == "nvme"',
  sd: 'disk.transport == "mmc"',
  hdd: 'disk.rotational',
  ssd: '!disk.rotational',
};
