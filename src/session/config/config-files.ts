/** Which files `-c` means: oxherd.yaml itself, variable files of Terraform, or a folder of the cluster template. */
import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

type ConfigFiles =
  | { readonly kind: 'yaml'; readonly path: string }
  | { readonly kind: 'tfvars'; readonly paths: readonly string[] }
  | { readonly kind: 'template'; readonly folder: string };

const TFVARS = /\.tfvars(\.json)?$/;
/** Files that Terraform reads without being told to. */
const AUTOMATIC = /^terraform\.tfvars(\.json)?$|\.auto\.tfvars(\.json)?$/;

/** `named`: the value of `-c`; several variable files are separated by commas. */
export function configFiles(cwd: string, named: string): ConfigFiles {
  const parts = named.split(',').map((part) => part.trim());
  if (parts.every((part) => TFVARS.test(part))) {
    return { kind: 'tfvars', paths: parts.flatMap((part) => variableFiles(cwd, part)) };
  }
  const path = resolve(cwd, named);
  if (!isFolder(path))
    return isTemplateFile(path)
      ? { kind: 'template', folder: dirname(named) }
      : { kind: 'yaml', path: named };
  const names = readdirSync(path);
  if (names.includes('oxherd.yaml')) return { kind: 'yaml', path: join(named, 'oxherd.yaml') };
  if (names.includes('cluster.yaml') || names.includes('nodes.yaml'))
    return { kind: 'template', folder: named };
  const automatic = automaticFiles(path).map((name) => join(named, name));
  return automatic.length > 0 ? { kind: 'tfvars', paths: automatic } : { kind: 'yaml', path: named };
}

/** A file that Terraform reads by itself comes with the others of its kind; one named with `-var-file` alone. */
function variableFiles(cwd: string, named: string): readonly string[] {
  if (!AUTOMATIC.test(basename(named)) || !isFile(resolve(cwd, named))) return [named];
  const folder = dirname(named);
  return automaticFiles(resolve(cwd, folder)).map((name) => (folder === '.' ? name : join(folder, name)));
}

/** In Terraform's order: `terraform.tfvars`, its JSON, then `*.auto.tfvars` by name. */
function automaticFiles(folder: string): readonly string[] {
  const rank = (name: string) => ['terraform.tfvars', 'terraform.tfvars.json'].indexOf(name);
  const names = readdirSync(folder).filter((name) => AUTOMATIC.test(name));
  const [first, auto] = [names.filter((name) => rank(name) >= 0), names.filter((name) => rank(name) < 0)];
  return [...first.sort((a, b) => rank(a) - rank(b)), ...auto.sort()];
}

/** One of the template's two files, with the other beside it. */
function isTemplateFile(path: string): boolean {
  const other = { 'cluster.yaml': 'nodes.yaml', 'nodes.yaml': 'cluster.yaml' }[basename(path)];
  return other !== undefined && isFile(join(dirname(path), other));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
