/** The page's own files, compressed, as the build wrote them. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OxherdError } from '../../model/error.js';
import type { Asset } from './answer.js';

const FILES: Readonly<Record<string, string>> = {
  'index.html': 'text/html; charset=utf-8',
  'app.js': 'text/javascript; charset=utf-8',
  'app.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
};

/** Path of the URL → file. Read once: there are four of them. */
export function pageAssets(folder = join(packageRoot(), 'dist/ui')): ReadonlyMap<string, Asset> {
  const assets = new Map<string, Asset>();
  for (const [name, type] of Object.entries(FILES)) {
    const path = join(folder, `${name}.gz`);
    if (!existsSync(path))
      throw new OxherdError('ui.not-built', `the page was not built: ${path} is missing`, {
        advice: 'run `npm run build`',
      });
    assets.set(name === 'index.html' ? '/' : `/${name}`, { type, gzip: readFileSync(path) });
  }
  return assets;
}

export function packageVersion(): string {
  const { version }: { version?: unknown } = JSON.parse(
    readFileSync(join(packageRoot(), 'package.json'), 'utf8'),
  );
  return String(version);
}

/** This file is bundled, or run from the sources: the folder above that holds package.json is the same. */
function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}
