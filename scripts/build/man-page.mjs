// oxherd.1, from the table of commands: what `--help` says, for `man oxherd`.

export function manPage({ version, commands, globalOptions }) {
  return [
    `.TH OXHERD 1 "" "oxherd ${version}" "User Commands"`,
    '.SH NAME',
    'oxherd \\- builds and runs Talos Linux Kubernetes clusters on Proxmox VE from one file',
    '.SH SYNOPSIS',
    '.B oxherd',
    '[\\fIflags\\fR] \\fIcommand\\fR [\\fIflags\\fR]',
    '.SH GLOBAL FLAGS',
    ...globalOptions.flatMap(optionLines),
    '.SH COMMANDS',
    ...commands.flatMap((command) => commandLines(command, '')),
    '.SH EXIT STATUS',
    ...[
      ['0', 'done, or nothing to do'],
      ['1', 'failed, refused, or not confirmed'],
      ['2', 'plan --exit-code: something is to be done'],
      ['3', 'status: not healthy'],
      ['130', 'interrupted by Ctrl-C'],
      ['143', 'ended by SIGTERM'],
    ].flatMap(([code, means]) => ['.TP', code, roff(means)]),
    '.SH FILES',
    '.TP',
    'oxherd.yaml',
    'the cluster; `oxherd schema` prints its JSON Schema',
    '.TP',
    '.oxherd/',
    'kubeconfig, talosconfig, journals of runs, and the lab',
    '',
  ].join('\n');
}

function commandLines({ name, summary, args = [], options = [], examples, children }, above) {
  const path = `${above}${name}`;
  if (children) return children.flatMap((child) => commandLines(child, `${path} `));
  return [
    `.SS ${roff([path, ...args.map((arg) => arg.name)].join(' '))}`,
    roff(summary),
    ...args.flatMap((arg) => ['.TP', roff(arg.name), roff(arg.description)]),
    ...options.flatMap(optionLines),
    ...examples.flatMap(({ command, does }) => ['.TP', roff(command), roff(does)]),
  ];
}

function optionLines({ flags, description }) {
  return ['.TP', `\\fB${roff(flags)}\\fR`, roff(description)];
}

/** A line that begins with a dot or a quote would be a request; a hyphen is a minus where it can be typed. */
function roff(text) {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/, '\\&$1');
}
