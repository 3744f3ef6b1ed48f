/** Writes a pipeline that validates, plans and applies, pinned to one oxherd. */
import { GITHUB_FILE, githubWorkflow } from '../../../export/ci/github.js';
import { GITLAB_FILE, gitlabPipeline } from '../../../export/ci/gitlab.js';
import { isPinned, type PinnedOxherd, type PipelineOptions } from '../../../export/ci/pinned-oxherd.js';
import { OxherdError } from '../../../model/error.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { writeExport } from '../../write-export.js';
import { OUT_DIR } from '../shared-options.js';

export const command: CommandSpec = {
  name: 'ci',
  summary: 'a pipeline for GitHub Actions or GitLab: validate, plan, apply what was reviewed',
  details:
    'The pipeline runs one oxherd, pinned by its path on the runner or by the sha256 of its tarball. Pull requests get no secrets. A maintainer plans a change; after the merge only the plan of that review is applied.',
  args: [{ name: '<server>', description: 'github or gitlab', choices: ['github', 'gitlab'] }],
  options: [
    OUT_DIR,
    { flags: '--path <path>', description: 'absolute path of an oxherd that the runner has' },
    {
      flags: '--tarball <url>',
      description: 'https URL, or absolute path on the runner, of the package; with --sha256',
    },
    { flags: '--sha256 <hex>', description: 'sha256 of the tarball that you checked' },
    { flags: '--branch <name>', description: 'branch whose merges are applied', default: 'main' },
  ],
  json: '`{ directory, files }`',
  examples: [
    {
      command: 'oxherd export ci github --path /opt/oxherd/node_modules/.bin/oxherd',
      does: 'writes .github/workflows/oxherd.yml',
    },
    {
      command: 'oxherd export ci gitlab --tarball https://files.example.com/oxherd.tgz --sha256 9f86…',
      does: 'writes oxherd.gitlab-ci.yml',
    },
  ],
};

export async function run(context: CliContext, input: CommandInput): Promise<ExitCode> {
  const [server] = input.args;
  const branch = plain(String(input.options.branch), /^[A-Za-z0-9][A-Za-z0-9._/-]*$/, '--branch');
  const config = plain(context.globals.config, /^[A-Za-z0-9_][A-Za-z0-9._/-]*$/, '-c');
  const options = { program: pinned(input.options), branch, config };
  await writeExport(context, input, [pipelineFor(server, options)]);
  if (!context.globals.json)
    context.stdout.write(
      'the header of the file lists the settings of the project that the pipeline needs\n',
    );
  return EXIT.done;
}

function pipelineFor(server: string | undefined, options: PipelineOptions) {
  switch (server) {
    case 'github':
      return { name: GITHUB_FILE, text: githubWorkflow(options) };
    case 'gitlab':
      return { name: GITLAB_FILE, text: gitlabPipeline(options) };
    default:
      throw new OxherdError('export.server', `there is no pipeline for ${server}`, {
        advice: 'name github or gitlab',
      });
  }
}

/** The text stands in a shell script and in YAML. */
function plain(text: string, allowed: RegExp, flag: string): string {
  if (allowed.test(text) && !text.includes('..')) return text;
  throw new OxherdError('export.name', `${flag} ${text} cannot stand in a pipeline`, {
    advice: 'use letters, digits, dots, dashes and slashes, relative to the repository',
  });
}

function pinned({ path, tarball, sha256 }: CommandInput['options']): PinnedOxherd {
  const given: PinnedOxherd | undefined =
    typeof path === 'string' && tarball === undefined && sha256 === undefined
      ? { kind: 'path', path }
      : typeof tarball === 'string' && typeof sha256 === 'string' && path === undefined
        ? { kind: 'tarball', source: tarball, sha256 }
        : undefined;
  if (given && isPinned(given)) return given;
  throw new OxherdError('export.unpinned', 'the pipeline needs one pinned oxherd', {
    advice:
      'give --path with an absolute path, or --tarball with an https URL and --sha256 with what `sha256sum` prints for it',
  });
}
