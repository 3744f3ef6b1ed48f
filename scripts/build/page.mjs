// The dashboard's page: one script, one style sheet, compressed as they are served. Needs nothing from elsewhere.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

/** Writes the page to `out`; the answer names the packages that went into it. */
export async function buildPage(root, out) {
  const web = join(root, 'src/dashboard/web');
  const { output } = await build({
    root: web,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      write: false,
      target: 'es2022',
      modulePreload: false,
      cssCodeSplit: false,
      rolldownOptions: {
        input: join(web, 'main.tsx'),
        output: { entryFileNames: 'app.js', assetFileNames: 'app[extname]', codeSplitting: false },
      },
    },
  });
  const files = new Map([
    ['index.html', readFileSync(join(web, 'index.html'))],
    ['icon.svg', readFileSync(join(web, 'icon.svg'))],
    ...output.map((one) => [one.fileName, one.type === 'chunk' ? one.code : one.source]),
  ]);
  mkdirSync(out, { recursive: true });
  for (const [name, content] of files)
    writeFileSync(join(out, `${name}.gz`), gzipSync(content, { level: 9 }));
  const modules = output.flatMap((one) => Object.keys(one.modules ?? {}));
  return new Set(modules.flatMap((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []));
}
