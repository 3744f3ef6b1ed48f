// The command and the library as a few files that share what they have in common; what a command imports only when it
// needs it stays apart. Node takes longer to find and load six hundred modules than to run a plan.
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { smallerModules } from './smaller-modules.mjs';

export const ENTRIES = {
  'bin/oxherd': 'cli/main.js',
  index: 'index.js',
  'lab/index': 'lab/index.js',
  'clients/proxmox/index': 'clients/proxmox/index.js',
  'clients/talos/index': 'clients/talos/index.js',
  'case-thread': 'session/rehearse/chaos/case-thread.js',
};

/** Writes the bundle of `modules` (what tsc wrote) to `out`; the answer names the packages that went into it. */
export async function bundle(modules, out, external) {
  const input = Object.fromEntries(
    Object.entries(ENTRIES).map(([name, path]) => [name, join(modules, path)]),
  );
  const build = await rolldown({
    input,
    platform: 'node',
    // Packages without an exports map: their modules can be shaken, their CommonJS cannot.
    resolve: { mainFields: ['module', 'main'] },
    external: (id) => external.some((name) => id === name || id.startsWith(`${name}/`)),
    preserveEntrySignatures: 'allow-extension',
    plugins: [await smallerModules(modules)],
    logLevel: 'warn',
    // Parts of a group that are imported late elsewhere are in its file all the same.
    onLog: (level, log, tell) => (log.code === 'INEFFECTIVE_DYNAMIC_IMPORT' ? undefined : tell(level, log)),
  });
  const { output } = await build.write({
    dir: out,
    format: 'esm',
    minify: true,
    comments: false,
    chunkFileNames: 'parts/[name]-[hash].js',
    // What is needed together is one file; split by every combination of commands it would be hundreds.
    codeSplitting: {
      // Else the command itself would need them, for what they share with it.
      includeDependenciesRecursively: false,
      groups: [
        // What every command starts with, also one that only prints its help.
        {
          name: 'base',
          test: /\/\.build\/(?:model\/|cli\/(?:context|own-commands|command-spec)\.js|cli\/commands\/[^/]+\.js|cli\/views\/(?:paint|message|error|terminal-text|table|wrap|diagnostics)\.js|formats\/redact\/redact-text)/,
        },
        {
          name: 'clients',
          test: /\/\.build\/clients\/(?:factory\/|kubernetes\/|proxmox\/|talos\/(?:access|probe|errors|resources)\.js|[^/]+\.js)/,
        },
        { name: 'lab', test: /\/\.build\/lab\// },
        {
          name: 'formats',
          test: /\/\.build\/formats\/(?!redact\/redact-text|gen\/talos-shapes|talos\/etcd-contents)/,
        },
        { name: 'config', test: /\/\.build\/config\/(?:schema|resolve|checks|yaml|edit|foreign)\// },
        { name: 'fleet', test: /\/\.build\/(?:controller|cli\/fleet|cli\/commands\/fleet)\// },
        { name: 'planner', test: /\/\.build\/(?:plan|design|observe)\// },
        // A config, its secrets, and the connections: what every command needs that asks something.
        {
          name: 'session',
          test: /\/\.build\/(?:session\/(?:connect\/|config\/(?:read-config|config-file)|context|session\.js|secrets\/(?:client-addresses|secrets-files)|plan\/(?:index|adoption|prepare-plan|plan-request|plan-token-rotation|settle|await-machines)|execute\/run\.js)|secrets\/(?!certificates|self-signed|read-talosconfig|sops\/)|cli\/(?:with-session|require-config)\.js)/,
        },
      ],
    },
  });
  await build.close();
  const inputs = output.flatMap(({ modules: parts = {} }) => Object.keys(parts));
  return new Set(inputs.flatMap((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []));
}
